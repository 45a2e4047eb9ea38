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
  /** Names that one subscription lists, and characters of its pattern. */
  subscribedTopics: 10_000,
  patternLength: 1_000,
  /** Keys or records of one request to a partitioner. */
  keys: 100_000,
  brokers: 10_000,
  pageSize: 1_000,
  defaultPageSize: 100,
  /** Nesting and number of fields of a GraphQL operation. */
  graphqlDepth: 12,
  graphqlFields: 500,
  graphqlAliases: 50,
} as const;
