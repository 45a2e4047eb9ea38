import { createHash } from 'node:crypto';
import { AllotError } from '@allot/model';
import { type DocumentNode, GraphQLError, Kind, OperationTypeNode, parse, type SelectionSetNode, visit } from 'graphql';
import { LIMITS } from '../config/limits.js';
import { sizeOf } from './document-size.js';

/** An operation as a client sends it, over whichever transport. */
export interface OperationRequest {
  readonly query?: string | undefined;
  readonly operationName?: string | null | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | null | undefined;
}

/**
 * The door before GraphQL: what is too large, nests too deep or asks for too much is refused here, by reading the text once, before
 * anything that takes longer than linear time looks at it. With an allow list only its queries pass, and may be sent by hash alone.
 */
export class Admission {
  constructor(private readonly allowed?: ReadonlyMap<string, string>) {}

  /**
   * The request with its text, and the text parsed; without a document when it names a persisted query by its hash alone, which was
   * checked when it was sent with its text.
   * @throws AllotError INVALID_REQUEST, LIMIT_EXCEEDED, QUERY_NOT_ALLOWED; GraphQLError when the text does not parse.
   */
  admit(body: unknown): { readonly request: OperationRequest; readonly document?: DocumentNode } {
    const request = this.#withText(readRequest(body));
    if (request.query === undefined) return { request };
    const hash = hashIn(request);
    if (hash !== undefined && hash !== sha256(request.query)) throw invalid('The hash is not that of the query.');
    const document = parseText(request.query);
    refuseReservedNames(document);
    refuseConditionalSubscriptions(document);
    checkSize(document, request.variables ?? {});
    return { request, document };
  }

  #withText(request: OperationRequest): OperationRequest {
    if (this.allowed === undefined) return request;
    const hash = request.query === undefined ? hashIn(request) : sha256(request.query);
    const query = hash === undefined ? undefined : this.allowed.get(hash);
    if (query !== undefined) return { ...request, query };
    throw new AllotError('QUERY_NOT_ALLOWED', 'This service answers only the queries on its list.', {
      action: 'fix-request',
    });
  }
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hashIn({ extensions }: OperationRequest): string | undefined {
  const persisted = extensions?.['persistedQuery'];
  if (persisted === undefined || persisted === null) return undefined;
  const { version, sha256Hash } = persisted as { readonly version?: unknown; readonly sha256Hash?: unknown };
  if (version === 1 && typeof sha256Hash === 'string') return sha256Hash;
  throw invalid(
    '`extensions.persistedQuery` must be an object with `version` 1 and the hash of the query in `sha256Hash`.',
  );
}

function readRequest(body: unknown): OperationRequest {
  if (Array.isArray(body)) throw invalid('Send one operation a request; lists of operations are not taken.');
  if (!isObject(body)) throw invalid('Send a JSON object with a query.');
  const { query, operationName, variables, extensions } = body as Record<string, unknown>;
  if (query !== undefined && typeof query !== 'string') throw invalid('`query` must be text.');
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string') {
    throw invalid('`operationName` must be text.');
  }
  if (variables !== undefined && variables !== null && !isObject(variables)) {
    throw invalid('`variables` must be an object.');
  }
  if (extensions !== undefined && extensions !== null && !isObject(extensions)) {
    throw invalid('`extensions` must be an object.');
  }
  const request = present({ query, operationName, variables, extensions }) as OperationRequest;
  if (query === undefined && hashIn(request) === undefined) throw invalid('`query` is missing.');
  const names = Object.keys(variables ?? {});
  if (names.length > LIMITS.graphqlVariables) throw beyond('number of variables', names.length, 'graphqlVariables');
  const reserved = names.find((name) => name.startsWith('__'));
  if (reserved !== undefined) throw reservedName(reserved);
  return request;
}

/** Without fields that are absent or null, which mean the same. */
function present(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}

function parseText(text: string): DocumentNode {
  if (text.length > LIMITS.graphqlTextLength) throw beyond('length', text.length, 'graphqlTextLength');
  refuseDeepBrackets(text);
  return parse(text, { maxTokens: LIMITS.graphqlTokens });
}

/** The parser calls itself for every bracket, so their nesting is bounded first. Brackets in strings count too: that does no harm. */
function refuseDeepBrackets(text: string): void {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x7b || c === 0x5b || c === 0x28) {
      if (++depth > LIMITS.graphqlBrackets) throw beyond('nesting of brackets', depth, 'graphqlBrackets');
    } else if (c === 0x7d || c === 0x5d || c === 0x29) depth--;
  }
}

/** GraphQL keeps names that begin so for itself; as the client's own they are only ever a trick. */
function refuseReservedNames(document: DocumentNode): void {
  const check = (name: { readonly value: string } | undefined) => {
    if (name?.value.startsWith('__')) throw reservedName(name.value);
  };
  visit(document, {
    OperationDefinition: ({ name }) => check(name),
    FragmentDefinition: ({ name }) => check(name),
    VariableDefinition: ({ variable }) => check(variable.name),
    Field: ({ alias }) => check(alias),
    Argument: ({ name }) => check(name),
    ObjectField: ({ name }) => check(name),
  });
}

/** Whether there is a subscription must not depend on variables: the specification forbids it, and graphql-js does not check it. */
function refuseConditionalSubscriptions({ definitions }: DocumentNode): void {
  const seen = new Set<SelectionSetNode>();
  const check = (set: SelectionSetNode | undefined): void => {
    if (set === undefined || seen.has(set)) return;
    seen.add(set);
    for (const selection of set.selections) {
      if (selection.directives?.some(({ name }) => name.value === 'skip' || name.value === 'include') === true) {
        const message = 'The root field of a subscription takes neither @skip nor @include.';
        throw new GraphQLError(message, { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } });
      }
      if (selection.kind === Kind.INLINE_FRAGMENT) check(selection.selectionSet);
      if (selection.kind === Kind.FRAGMENT_SPREAD) check(fragments.get(selection.name.value));
    }
  };
  const fragments = new Map<string, SelectionSetNode>();
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition.selectionSet);
  }
  for (const definition of definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    if (definition.operation === OperationTypeNode.SUBSCRIPTION) check(definition.selectionSet);
  }
}

function checkSize(document: DocumentNode, variables: Readonly<Record<string, unknown>>): void {
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length;
  if (operations > LIMITS.graphqlOperations) throw beyond('number of operations', operations, 'graphqlOperations');
  const size = sizeOf(document, variables);
  const limits = [
    ['depth', size.depth, 'graphqlDepth'],
    ['depth of introspection', size.introspectionDepth, 'graphqlIntrospectionDepth'],
    ['number of fields', size.fields, 'graphqlFields'],
    ['number of aliases', size.aliases, 'graphqlAliases'],
    ['number of directives', size.directives, 'graphqlDirectives'],
    ['cost (fields of the answer if every page were full)', size.cost, 'graphqlCost'],
  ] as const;
  for (const [what, is, limit] of limits) if (is > LIMITS[limit]) throw beyond(what, is, limit);
}

function beyond(what: string, is: number, limit: keyof typeof LIMITS): AllotError {
  return new AllotError(
    'LIMIT_EXCEEDED',
    `The operation has a ${what} of ${is}, and the limit is ${LIMITS[limit]}. Split it.`,
    { action: 'fix-request' },
  );
}

function reservedName(name: string): GraphQLError {
  return new GraphQLError(`The name ${name.slice(0, 60)} is reserved: names of your own must not begin with __.`, {
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
  });
}

function invalid(message: string): AllotError {
  return new AllotError('INVALID_REQUEST', message, { action: 'fix-request' });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
