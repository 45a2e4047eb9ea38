/** The service's hard limits. A request beyond one is refused with a problem that names it; nothing is cut off silently. */
export const LIMITS = {
  /** Bytes of a request body. */
  bodyBytes: 16 * 1024 * 1024,
  /** Nesting of a JSON body. */
  jsonDepth: 64,
  /** Characters of a cluster's, group's or member's name. Topics have Kafka's own limit, 249. */
  nameLength: 255,
  topicNameLength: 249,
  /** Characters of the free text that goes into the history. */
  reasonLength: 1_000,
  partitionsPerTopic: 100_000,
  replicasPerPartition: 128,
  /** Kafka's broker ids are non-negative 32-bit integers. */
  brokerId: 2 ** 31 - 1,
  /** Members of one group. */
  groupSize: 10_000,
  /** Of a request that waits for others, in ms. */
  longestWaitMs: 300_000,
  /** Characters of what members of a classic group and their leader tell each other, base64. */
  userDataLength: 1_000_000,
  /** Names that one subscription lists, and characters of its pattern. */
  subscribedTopics: 10_000,
  patternLength: 1_000,
  /** Keys or records of one request to a partitioner. */
  keys: 100_000,
  brokers: 10_000,
  pageSize: 1_000,
  defaultPageSize: 100,
  /** Bytes of a request to GraphQL, characters and tokens of its text, nesting of its brackets. */
  graphqlBodyBytes: 256 * 1024,
  graphqlTextLength: 32_768,
  graphqlTokens: 2_000,
  graphqlBrackets: 60,
  graphqlOperations: 10,
  graphqlVariables: 100,
  /** Nesting and number of fields of a GraphQL operation. */
  graphqlDepth: 12,
  /** Nesting below `__schema`: as deep as the tools' own query of the schema. */
  graphqlIntrospectionDepth: 16,
  graphqlFields: 500,
  graphqlAliases: 50,
  graphqlDirectives: 50,
  /** Fields of the answer if every page were full. */
  graphqlCost: 100_000,
  /** WebSockets of one process, and operations that run on one of them. */
  graphqlConnections: 10_000,
  graphqlOperationsPerConnection: 100,
  /** Time in which a WebSocket must say hello. */
  graphqlInitMs: 5_000,
  /** Bytes of text that are remembered of persisted queries. */
  graphqlPersistedBytes: 2 * 1024 * 1024,
} as const;
