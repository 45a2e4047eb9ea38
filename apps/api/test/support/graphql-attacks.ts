import { getIntrospectionQuery } from 'graphql';

/** A request to /graphql that must be refused before it costs anything. */
export interface Attack {
  readonly name: string;
  readonly method?: 'GET' | 'POST';
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const repeat = (count: number, make: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => make(i)).join(' ');
const post = (name: string, query: string, variables?: unknown): Attack => ({
  name,
  body: JSON.stringify({ query, ...(variables !== undefined && { variables }) }),
});
const nest = (levels: number, open: string, inner: string): string => open.repeat(levels) + inner + '}'.repeat(levels);

/** `__proto__` as a key of its own, which an object literal would take for something else. */
const proto = (value: string): string => `{"__proto__": ${value}}`;

export const ATTACKS: readonly Attack[] = [
  post('fields nested 13 deep', nest(12, '{ clusters { nodes ', '{ name }') + '}'.repeat(12)),
  post('brackets nested 5,000 deep', nest(5_000, '{a', '')),
  post('a list literal nested 5,000 deep', `{ cluster(name: ${'['.repeat(5_000)}${']'.repeat(5_000)}) { name } }`),
  post(
    'an object literal nested 5,000 deep',
    `{ simulate(input: ${'{a:'.repeat(5_000)}1${'}'.repeat(5_000)}) { protocol } }`,
  ),
  post('51 aliases of one field', `{ ${repeat(51, (i) => `a${i}: cluster { name }`)} }`),
  post('10,000 aliases', `{ ${repeat(10_000, (i) => `a${i}: __typename`)} }`),
  post('the same field 1,900 times', `{ ${'__typename '.repeat(1_900)} }`),
  post('the same object 600 times', `{ ${'cluster { name } '.repeat(600)} }`),
  post('a fragment that spreads itself', '{ ...a } fragment a on Query { cluster { name } ...a }'),
  post('a cycle of fragments', `{ ...f0 } ${repeat(50, (i) => `fragment f${i} on Query { ...f${(i + 1) % 50} }`)}`),
  post(
    'fragments that double thirty times',
    `{ ...f0 } ${repeat(30, (i) => `fragment f${i} on Query { ...f${i + 1} ...f${i + 1} }`)} fragment f30 on Query { __typename }`,
  ),
  post(
    'fragments that deepen each other',
    `{ clusters { nodes { ...f0 } } } ${repeat(12, (i) => `fragment f${i} on Cluster { groups { nodes { members { memberId } } } ...f${i + 1} }`)}
     fragment f12 on Cluster { ${repeat(600, () => 'name')} }`,
  ),
  post('300 unused fragments', `{ __typename } ${repeat(300, (i) => `fragment f${i} on Query { __typename }`)}`),
  post('a page of a million', '{ clusters(first: 1000000) { nodes { name } } }'),
  post('pages of pages', '{ clusters(first: 1000) { nodes { groups(first: 1000) { nodes { groupId } } } } }'),
  post(
    'pages of pages by variables',
    'query ($n: Int!) { clusters(first: $n) { nodes { topics(first: $n) { nodes { name } } } } }',
    { n: 1_000 },
  ),
  post(
    'pages of pages by default values',
    'query ($n: Int! = 1000) { clusters(first: $n) { nodes { topics(first: $n) { nodes { name } } } } }',
  ),
  { name: 'a batch of two', body: JSON.stringify([{ query: '{ __typename }' }, { query: '{ __typename }' }]) },
  {
    name: 'a batch of 10,000',
    body: JSON.stringify(Array.from({ length: 10_000 }, () => ({ query: '{__typename}' }))),
  },
  post('600 directives on one field', `{ __typename ${'@skip(if: false) '.repeat(400)} }`),
  post('51 directives over fields', `{ ${repeat(51, () => '__typename @include(if: true)')} }`),
  post('unknown directives by the hundred', `{ __typename ${repeat(900, (i) => `@d${i}`)} }`),
  post(
    'introspection that turns in circles',
    '{ __schema { types { fields { type { fields { type { fields { type { fields { type { name } } } } } } } } } } }',
  ),
  post('introspection 20 deep', `{ __schema { types ${nest(18, '{ ofType ', '{ name }')} } }`),
  post(
    'introspection eleven times over',
    repeat(11, (i) =>
      getIntrospectionQuery()
        .replace('IntrospectionQuery', `Q${i}`)
        .replace(/FullType|InputValue|TypeRef/g, `$&${i}`),
    ),
  ),
  post(
    'a thousand variables',
    `query (${repeat(600, (i) => `$v${i}: Int`)}) { __typename }`,
    Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`v${i}`, 1])),
  ),
  post('a variable of the wrong kind, 100,000 long', 'query ($n: Int!) { clusters(first: $n) { nodes { name } } }', {
    n: Array.from({ length: 20_000 }, () => 'x'),
  }),
  {
    name: 'variables nested 1,000 deep',
    body: `{"query":"query ($i: JSON!) { simulate(input: $i) { protocol } }","variables":{"i":${'['.repeat(1_000)}${']'.repeat(1_000)}}}`,
  },
  {
    name: '__proto__ among the variables',
    body: `{"query":"{ __typename }","variables":${proto('{"polluted": true}')}}`,
  },
  post(
    '__proto__ as a variable',
    'query ($__proto__: Int) { cluster { topics(first: $__proto__) { nodes { name } } } }',
  ),
  post('__proto__ as an alias', '{ __proto__: cluster { name } }'),
  { name: '__proto__ instead of an object', body: '{"query":"{ __typename }","variables":[1],"extensions":{"a":1}}' },
  {
    name: 'a body of 1 MB',
    body: JSON.stringify({ query: '{ __typename }', variables: { a: 'x'.repeat(1_000_000) } }),
  },
  post('a comment of 200 kB', `#${'x'.repeat(200_000)}\n{ __typename }`),
  post('a string of 100 kB', `{ cluster(name: "${'x'.repeat(100_000)}") { name } }`),
  post(
    '20 operations',
    repeat(20, (i) => `query Q${i} { __typename }`),
  ),
  post('a definition of a type', 'type Query { a: Int }'),
  {
    name: 'a mutation by GET',
    method: 'GET',
    url: `/graphql?query=${encodeURIComponent('mutation { deleteGroup(group: "g", force: true) { __typename } }')}`,
    headers: { 'apollo-require-preflight': '1' },
  },
  {
    name: 'a query by GET from another site',
    method: 'GET',
    url: `/graphql?query=${encodeURIComponent('{ __typename }')}`,
  },
  {
    name: 'text/plain from another site',
    headers: { 'content-type': 'text/plain' },
    body: '{"query":"{ __typename }"}',
  },
  {
    name: 'a form from another site',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'query={__typename}',
  },
  {
    name: 'multipart from another site',
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    body: '--b\r\nContent-Disposition: form-data; name="operations"\r\n\r\n{"query":"{ __typename }"}\r\n--b--\r\n',
  },
  {
    name: 'a stream by GET from another site',
    method: 'GET',
    url: `/graphql/stream?query=${encodeURIComponent('{ __typename }')}`,
    headers: { accept: 'text/event-stream', 'sec-fetch-site': 'cross-site' },
  },
  {
    name: 'a stream from another origin',
    url: '/graphql/stream',
    headers: { origin: 'https://evil.example', accept: 'text/event-stream', 'content-type': 'application/json' },
    body: '{"query":"{ __typename }"}',
  },
  {
    name: 'a mutation by a stream by GET',
    method: 'GET',
    url: `/graphql/stream?query=${encodeURIComponent('mutation { deleteGroup(group: "g", force: true) { __typename } }')}`,
    headers: { accept: 'text/event-stream' },
  },
  post('a subscription where there are only answers', 'subscription { clusterOverview { groups } }'),
  ...[
    'subscription { clusterOverview @skip(if: true) { groups } }',
    'subscription { ...F @include(if: false) } fragment F on Subscription { clusterOverview { groups } }',
    'subscription { ...F } fragment F on Subscription { ... { clusterOverview @skip(if: true) { groups } } }',
  ].map((query, i) => ({
    name: `a subscription that may have no field (${i + 1})`,
    url: '/graphql/stream',
    body: JSON.stringify({ query }),
  })),
  ...[{ version: 9, sha256Hash: 'f'.repeat(64) }, { version: 1, sha256Hash: {} }, { version: 1 }, 'f', 5].map(
    (persistedQuery) => ({
      name: `a persisted query as ${JSON.stringify(persistedQuery).slice(0, 30)}`,
      body: JSON.stringify({ query: '{ __typename }', extensions: { persistedQuery } }),
    }),
  ),
  {
    name: 'a persisted query with another hash',
    body: JSON.stringify({
      query: '{ __typename }',
      extensions: { persistedQuery: { version: 1, sha256Hash: 'f'.repeat(64) } },
    }),
  },
];
