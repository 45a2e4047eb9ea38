import { type DocumentNode, type FragmentDefinitionNode, Kind, type SelectionSetNode, type ValueNode } from 'graphql';
import { LIMITS } from '../config/limits.js';

/** What an operation asks for, its fragments spread. */
export interface OperationSize {
  /** Nesting of fields; those below `__schema` and `__type` are told apart, because tools ask deeply there. */
  readonly depth: number;
  readonly introspectionDepth: number;
  readonly fields: number;
  readonly aliases: number;
  readonly directives: number;
  /** Fields of the answer if every page were full. */
  readonly cost: number;
}

const EMPTY: OperationSize = { depth: 0, introspectionDepth: 0, fields: 0, aliases: 0, directives: 0, cost: 0 };

type Variables = Readonly<Record<string, unknown>>;

/**
 * Measures every operation of a document and answers the largest of each number. Each fragment is measured once, so that fragments in
 * fragments cannot explode. The page sizes that count are those that `variables` give.
 */
export function sizeOf(document: DocumentNode, variables: Variables): OperationSize {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  let largest = EMPTY;
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const defaults = definition.variableDefinitions ?? [];
    const values = new Map(defaults.map(({ variable, defaultValue }) => [variable.name.value, numberOf(defaultValue)]));
    for (const [name, value] of Object.entries(variables)) if (typeof value === 'number') values.set(name, value);
    const size = measureWith(fragments, values)(definition.selectionSet);
    const own = (definition.directives ?? []).length;
    largest = larger(largest, { ...size, directives: size.directives + own });
  }
  return largest;
}

function larger(a: OperationSize, b: OperationSize): OperationSize {
  return {
    depth: Math.max(a.depth, b.depth),
    introspectionDepth: Math.max(a.introspectionDepth, b.introspectionDepth),
    fields: Math.max(a.fields, b.fields),
    aliases: Math.max(a.aliases, b.aliases),
    directives: Math.max(a.directives, b.directives),
    cost: Math.max(a.cost, b.cost),
  };
}

function measureWith(
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  values: ReadonlyMap<string, number | undefined>,
): (set: SelectionSetNode) => OperationSize {
  const measured = new Map<string, OperationSize>();
  const ofFragment = (name: string): OperationSize => {
    const known = measured.get(name);
    if (known !== undefined) return known;
    // A fragment that spreads itself is refused by GraphQL's own rules; here it only must not recurse for ever.
    measured.set(name, EMPTY);
    const fragment = fragments.get(name);
    const size = fragment === undefined ? EMPTY : measure(fragment.selectionSet);
    measured.set(name, size);
    return size;
  };
  const measure = ({ selections }: SelectionSetNode): OperationSize => {
    let { depth, introspectionDepth, fields, aliases, directives, cost } = EMPTY;
    for (const node of selections) {
      directives += (node.directives ?? []).length;
      let inner = EMPTY;
      if (node.kind === Kind.FRAGMENT_SPREAD) inner = ofFragment(node.name.value);
      else if (node.selectionSet !== undefined) inner = measure(node.selectionSet);
      if (node.kind === Kind.FIELD) {
        const introspects = node.name.value === '__schema' || node.name.value === '__type';
        const deep = inner.depth + 1;
        const nodes = nodesOf(node, values);
        inner = {
          depth: introspects ? 1 : deep,
          introspectionDepth: introspects ? deep : inner.introspectionDepth,
          fields: inner.fields + 1,
          aliases: inner.aliases + (node.alias === undefined ? 0 : 1),
          directives: inner.directives,
          cost: 1 + nodes * inner.cost,
        };
      }
      depth = Math.max(depth, inner.depth);
      introspectionDepth = Math.max(introspectionDepth, inner.introspectionDepth);
      fields += inner.fields;
      aliases += inner.aliases;
      directives += inner.directives;
      cost += inner.cost;
    }
    return { depth, introspectionDepth, fields, aliases, directives, cost };
  };
  return measure;
}

interface PagedField {
  readonly arguments?: readonly { readonly name: { readonly value: string }; readonly value: ValueNode }[];
  readonly selectionSet?: SelectionSetNode | undefined;
}

/** How many nodes a field may have: its `first`, or a page where it is a connection that names none. */
function nodesOf(field: PagedField, values: ReadonlyMap<string, number | undefined>): number {
  const first = field.arguments?.find(({ name }) => name.value === 'first')?.value;
  if (first !== undefined) {
    const number = first.kind === Kind.VARIABLE ? values.get(first.name.value) : numberOf(first);
    // What is no number is refused later; too large a page as well.
    return Math.max(1, number ?? LIMITS.defaultPageSize);
  }
  const isConnection = field.selectionSet?.selections.some(
    (node) => node.kind === Kind.FIELD && (node.name.value === 'nodes' || node.name.value === 'edges'),
  );
  return isConnection === true ? LIMITS.defaultPageSize : 1;
}

function numberOf(value: ValueNode | undefined): number | undefined {
  return value?.kind === Kind.INT ? Number(value.value) : undefined;
}
