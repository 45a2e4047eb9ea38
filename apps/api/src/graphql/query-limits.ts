import {
  type ASTVisitor,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql';
import { LIMITS } from '../config/limits.js';

interface Size {
  readonly depth: number;
  readonly fields: number;
  readonly aliases: number;
}

const EMPTY: Size = { depth: 0, fields: 0, aliases: 0 };

/** A validation rule: operations of more than a certain depth, number of fields or of aliases are refused unexecuted. */
export function limitQueries(context: ValidationContext): ASTVisitor {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of context.getDocument().definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const measure = measureWith(fragments);
  return {
    OperationDefinition(operation) {
      const size = measure(operation.selectionSet);
      const complain = (what: string, is: number, limit: number) => {
        if (is <= limit) return;
        const message = `The operation has ${what} ${is}, and the limit is ${limit}. Split it.`;
        context.reportError(
          new GraphQLError(message, { nodes: [operation], extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }),
        );
      };
      complain('a depth of', size.depth, LIMITS.graphqlDepth);
      complain('a number of fields of', size.fields, LIMITS.graphqlFields);
      complain('a number of aliases of', size.aliases, LIMITS.graphqlAliases);
    },
  };
}

/** Measures selections with their fragments spread. Each fragment is measured once, so that nesting cannot explode. */
function measureWith(fragments: ReadonlyMap<string, FragmentDefinitionNode>): (set: SelectionSetNode) => Size {
  const measured = new Map<string, Size>();
  const ofFragment = (name: string): Size => {
    const known = measured.get(name);
    if (known !== undefined) return known;
    // A fragment that spreads itself is refused by another rule; here it only must not recurse for ever.
    measured.set(name, EMPTY);
    const fragment = fragments.get(name);
    const size = fragment === undefined ? EMPTY : measure(fragment.selectionSet);
    measured.set(name, size);
    return size;
  };
  const measure = ({ selections }: SelectionSetNode): Size => {
    let { depth, fields, aliases } = EMPTY;
    for (const node of selections) {
      const isField = node.kind === Kind.FIELD;
      const inner = isField
        ? node.selectionSet === undefined
          ? EMPTY
          : measure(node.selectionSet)
        : node.kind === Kind.FRAGMENT_SPREAD
          ? ofFragment(node.name.value)
          : measure(node.selectionSet);
      depth = Math.max(depth, inner.depth + (isField ? 1 : 0));
      fields += inner.fields + (isField ? 1 : 0);
      aliases += inner.aliases + (isField && node.alias !== undefined ? 1 : 0);
    }
    return { depth, fields, aliases };
  };
  return measure;
}
