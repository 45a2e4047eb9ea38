import fc, { type Arbitrary } from 'fast-check';
import type { OpenApi, Parameter, PathOperation, Schema } from './openapi.js';

/** A request in terms of the document; `resolve` makes it concrete with names that answers have taught by then. */
export interface AbstractRequest {
  readonly target: PathOperation;
  readonly path: Readonly<Record<string, Word>>;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Body | undefined;
}

export interface Body {
  readonly type: string;
  readonly text: string;
}

/** A text of its own, or the nth of the names that were learnt for this parameter. */
type Word = { readonly text: string } | { readonly learnt: number };

const NAMES = ['default', 'orders', 'pay', 'g1', 'a/b:c d', '組', '__proto__', 'constructor', 'c1', '1', '2', 'range'];

const name = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('%', ' ', 'x'.repeat(249), 'x'.repeat(300), 'x'.repeat(4000), '\u0000', 'a\nb'),
  },
);

const junk: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, -1, 1.5, 1e9, 1e308, 2 ** 53, '', '10', 'NaN', [], {}, true, [null], ' '.repeat(400)),
  fc.jsonValue({ maxDepth: 3 }),
);

/** All requests that the document allows, and many that it does not. */
export function requestsOf(document: OpenApi, operations: readonly PathOperation[]): Arbitrary<AbstractRequest> {
  const schemas = new SchemaValues(document);
  return fc.oneof(...operations.map((target) => requestOf(target, schemas)));
}

function requestOf(target: PathOperation, schemas: SchemaValues): Arbitrary<AbstractRequest> {
  const { parameters = [], requestBody } = target.operation;
  const at = (place: string) => parameters.filter((parameter) => parameter.in === place);
  return fc.record({
    target: fc.constant(target),
    path: fc.record<Record<string, Word>>(
      Object.fromEntries(at('path').map((parameter) => [parameter.name, word(parameter)])),
    ),
    query: queryOf(at('query'), schemas),
    headers: headersOf(at('header')),
    body:
      requestBody === undefined
        ? fc.constant(undefined)
        : fc.option(bodyOf(Object.entries(requestBody.content), schemas), { nil: undefined, freq: 12 }),
  });
}

/** Names that are there from the start, so that most requests are about something. */
const THERE: Readonly<Record<string, string>> = {
  cluster: 'default',
  group: 'g1',
  topic: 'orders',
  broker: '1',
  member: 'c1',
  partitioner: 'default',
  revision: '1',
  to: '1',
};

function word({ name: parameter, schema }: Parameter): Arbitrary<Word> {
  const any = schema['type'] === 'integer' ? fc.oneof(fc.nat(3).map(String), name) : name;
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant({ text: THERE[parameter] ?? 'none' }) },
    { weight: 2, arbitrary: any.map((text) => ({ text })) },
    { weight: 3, arbitrary: fc.record({ learnt: fc.nat(1000) }) },
  );
}

function queryOf(parameters: readonly Parameter[], schemas: SchemaValues): Arbitrary<AbstractRequest['query']> {
  const known = parameters.map(({ name: key, schema }) => {
    // Long polls and streams are cut off by the test; here they only must not be all there is.
    const valid = key === 'wait' ? fc.constantFrom('0s', '1ms', '20ms', '99999s') : schemas.valueOf(schema).map(toText);
    const value = fc.oneof({ weight: 5, arbitrary: valid }, { weight: 1, arbitrary: junk.map(toText) });
    return value.map((text): [string, string] => [key, text]);
  });
  const unknown = fc.tuple(fc.constantFrom('dryrun', 'x', '__proto__', 'pageSize[]'), name);
  const some =
    known.length === 0
      ? unknown
      : fc.oneof({ weight: 12, arbitrary: fc.oneof(...known) }, { weight: 1, arbitrary: unknown });
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(some, { maxLength: 3 }) },
  );
}

function headersOf(parameters: readonly Parameter[]): Arbitrary<Record<string, string | undefined>> {
  const described = parameters.map((parameter) => [parameter.name, headerValue(parameter.name)] as const);
  const unusual = fc.constantFrom('*/*', '*/*', '*/*', 'application/*', 'image/png');
  const values = Object.fromEntries([...described, ['Accept', unusual] as const]);
  const required = parameters.filter((parameter) => parameter.required).map((parameter) => parameter.name);
  return fc.oneof(
    { weight: 5, arbitrary: fc.record(values, { requiredKeys: required }) },
    { weight: 1, arbitrary: fc.record(values, { requiredKeys: [] }) },
  );
}

function headerValue(header: string): Arbitrary<string> {
  switch (header.toLowerCase()) {
    case 'if-match':
    case 'if-none-match':
      return fc.constantFrom('*', '*', '*', '*', '*', '*', '"1"', '"2"', '"3"', 'W/"1"', '7', '"x"', '""', '"1", "2"');
    case 'idempotency-key':
      return fc.constantFrom('k1', 'k2', 'k3', 'x'.repeat(300), '%00');
    case 'last-event-id':
      return fc.constantFrom('0', '1', '5', '999', '-1', 'abc');
    default:
      return fc.constantFrom('application/json', '*/*', 'text/event-stream', 'text/html');
  }
}

function bodyOf(
  contents: readonly (readonly [string, { readonly schema: Schema; readonly examples?: unknown }])[],
  schemas: SchemaValues,
) {
  return fc.oneof(
    ...contents.map(([type, content]): Arbitrary<Body> => {
      if (type !== 'application/json') return pastedText.map((text) => ({ type, text }));
      const example = exampleOf(content.examples);
      const valid =
        example === undefined
          ? schemas.valueOf(content.schema)
          : fc.oneof(schemas.valueOf(content.schema), fc.constant(example));
      const text = fc.oneof(
        { weight: 6, arbitrary: valid.map(toJson) },
        { weight: 4, arbitrary: valid.chain(damage).map(toJson) },
        { weight: 1, arbitrary: junk.map(toJson) },
        {
          weight: 1,
          arbitrary: fc.constantFrom(
            '',
            '{',
            '[',
            '{"a":1}}',
            '\u0000',
            '{"__proto__":{"partitions":3}}',
            '['.repeat(500),
          ),
        },
      );
      const types = fc.oneof(
        { weight: 20, arbitrary: fc.constant(type) },
        { weight: 1, arbitrary: fc.constantFrom('text/plain', 'text/html', 'x') },
      );
      return fc.record({ type: types, text });
    }),
  );
}

const pastedText = fc.oneof(
  fc.constant(
    'Topic: orders\tPartitionCount: 3\tReplicationFactor: 1\tConfigs: \n\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1',
  ),
  fc.constant(
    'GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID\ng9 orders 0 1 2 1 c1 /h c1',
  ),
  fc.string({ unit: 'binary', maxLength: 200 }),
);

function exampleOf(examples: unknown): unknown {
  const first = Object.values((examples ?? {}) as Record<string, { readonly value: unknown }>)[0];
  return first?.value;
}

/** Replaces, removes or adds something somewhere in a JSON value. */
function damage(value: unknown): Arbitrary<unknown> {
  if (typeof value !== 'object' || value === null) return junk;
  const keys = Object.keys(value);
  const change = fc.tuple(
    fc.constantFrom(...keys, 'extra', '__proto__', 'toString'),
    junk,
    fc.integer({ min: 0, max: 3 }),
  );
  return change.chain(([key, replacement, how]): Arbitrary<unknown> => {
    const old = Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
    if (how > 1 && typeof old === 'object' && old !== null)
      return damage(old).map((inner) => withKey(value, key, inner));
    return fc.constant(withKey(value, key, how === 0 ? undefined : replacement));
  });
}

function withKey(value: object, key: string, inner: unknown): unknown {
  if (Array.isArray(value)) return value.map((entry, i) => (String(i) === key ? inner : (entry as unknown)));
  return Object.fromEntries([...Object.entries(value).filter(([other]) => other !== key), [key, inner]]);
}

/** Values of a schema: inside its limits, near them, and of few names, so that requests meet. */
class SchemaValues {
  constructor(private readonly document: OpenApi) {}

  valueOf(schema: Schema, depth = 0): Arbitrary<unknown> {
    const { $ref, allOf, oneOf, enum: words, type, example } = schema as Record<string, never>;
    if ($ref !== undefined)
      return this.valueOf(this.document.components.schemas[($ref as string).split('/').at(-1)!] as Schema, depth);
    if (allOf !== undefined) return this.valueOf((allOf as Schema[])[0]!, depth);
    if (oneOf !== undefined) return fc.oneof(...(oneOf as Schema[]).map((one) => this.valueOf(one, depth)));
    if (words !== undefined) return fc.constantFrom(...(words as unknown[]));
    if (Array.isArray(type))
      return fc.oneof(...(type as string[]).map((one) => this.valueOf({ ...schema, type: one }, depth)));
    const generated = this.#ofType(schema, type, depth);
    return example === undefined ? generated : fc.oneof(generated, fc.constant(example));
  }

  #ofType(schema: Schema, type: unknown, depth: number): Arbitrary<unknown> {
    const { minimum = 0, maximum = 2 ** 31 - 1 } = schema as { minimum?: number; maximum?: number };
    switch (type) {
      case 'integer':
        return fc.oneof(
          { weight: 8, arbitrary: fc.integer({ min: minimum, max: Math.max(minimum, Math.min(maximum, 12)) }) },
          { weight: 1, arbitrary: fc.constantFrom(minimum, Math.min(maximum, 2_000)) },
        );
      case 'number':
        return fc.double({ min: 0, max: 100, noNaN: true });
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'array':
        return fc.array(this.valueOf((schema['items'] ?? {}) as Schema, depth + 1), { maxLength: depth > 2 ? 2 : 4 });
      case 'object':
        return this.#object(schema, depth);
      case 'string':
        return fc.oneof(
          name,
          fc.constantFrom('^ord.*', '(', 'mH1cQzVvTnq0y2lqgq7c8w', 'sticky', 'uniform', 'cooperative-sticky', '4.0'),
        );
      default:
        return junk;
    }
  }

  #object(schema: Schema, depth: number): Arbitrary<unknown> {
    const {
      properties = {},
      required = [],
      additionalProperties,
    } = schema as {
      properties?: Record<string, Schema>;
      required?: string[];
      additionalProperties?: Schema;
    };
    if (additionalProperties !== undefined) {
      return fc
        .array(fc.tuple(name, this.valueOf(additionalProperties, depth + 1)), { maxLength: 3 })
        .map((entries) => Object.fromEntries(entries));
    }
    const fields = Object.entries(properties).map(([key, field]) => [key, this.valueOf(field, depth + 1)] as const);
    return fc.record(Object.fromEntries(fields), {
      requiredKeys: required.filter((key) => key in properties),
      noNullPrototype: true,
    });
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : toJson(value);
}

function toJson(value: unknown): string {
  return JSON.stringify(value) ?? '';
}
