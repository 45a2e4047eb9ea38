import { type AssignmentJson } from '@allot/model';
import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';

/** Any JSON, for what REST takes or answers as one document. */
export const Json = new GraphQLScalarType<unknown, unknown>({
  name: 'JSON',
  description: 'Any JSON: the same document that REST takes or answers.',
  serialize: (value) => value,
  parseValue: (value) => value,
  parseLiteral: (node, variables) => literal(node, variables ?? {}),
});

/** An assignment in the form of REST. */
export const AssignmentMap = new GraphQLScalarType<AssignmentJson, AssignmentJson>({
  name: 'Assignment',
  description: 'An object of topic to sorted partition numbers, such as {"orders": [0, 1]}: the form that REST has.',
  serialize: (value) => value as AssignmentJson,
  parseValue: (value) => value as AssignmentJson,
  parseLiteral: (node, variables) => literal(node, variables ?? {}) as AssignmentJson,
});

/** A value written in a query. Keys are data: each becomes an own property, whatever it is called. */
function literal(node: ValueNode, variables: Readonly<Record<string, unknown>>): unknown {
  switch (node.kind) {
    case Kind.NULL:
      return null;
    case Kind.INT:
    case Kind.FLOAT:
      return Number(node.value);
    case Kind.STRING:
    case Kind.BOOLEAN:
      return node.value;
    case Kind.ENUM:
      throw new GraphQLError(`${node.value} is no JSON; put text in quotes.`);
    case Kind.LIST:
      return node.values.map((value) => literal(value, variables));
    case Kind.VARIABLE:
      return variables[node.name.value];
    case Kind.OBJECT: {
      const object = {};
      for (const { name, value } of node.fields) {
        const property = { value: literal(value, variables), enumerable: true, configurable: true, writable: true };
        Object.defineProperty(object, name.value, property);
      }
      return object;
    }
  }
}
