import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';

const FORM = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** A moment. Text is passed on as it is, because answers that are kept for an idempotency key are kept as JSON. */
export const DateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description: 'A moment in ISO 8601 with its offset, such as 2026-01-31T12:00:00.000Z; answers are in UTC.',
  serialize: (value) => (value instanceof Date ? value.toISOString() : check(value).toISOString()),
  parseValue: (value) => check(value),
  parseLiteral: (node) => check(node.kind === Kind.STRING ? node.value : undefined),
});

function check(value: unknown): Date {
  const date = typeof value === 'string' && FORM.test(value) ? new Date(value) : undefined;
  if (date !== undefined && !Number.isNaN(date.getTime())) return date;
  throw new GraphQLError('DateTime must be text in ISO 8601 with its offset, such as 2026-01-31T12:00:00.000Z.');
}
