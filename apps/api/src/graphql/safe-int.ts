import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';

/** Revisions and times outgrow GraphQL's Int, which has 32 bits. */
export const SafeInt = new GraphQLScalarType<number, number>({
  name: 'SafeInt',
  description: 'A whole number that a double holds exactly: up to 2^53 - 1 in size.',
  serialize: (value) => check(value),
  parseValue: (value) => check(value),
  parseLiteral: (node) => check(node.kind === Kind.INT ? Number(node.value) : Number.NaN),
});

function check(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new GraphQLError('SafeInt must be a whole number of at most 2^53 - 1 in size.');
}
