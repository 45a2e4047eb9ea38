/** One partition of a topic. */
export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** Kafka's printed form, `orders-3`. */
export function formatTopicPartition({ topic, partition }: TopicPartition): string {
  return `${topic}-${partition}`;
}

/** Reads `orders-3`; the last hyphen separates, since topic names contain hyphens. Undefined when it has no such form. */
export function parseTopicPartition(text: string): TopicPartition | undefined {
  const match = /^(.+)-(0|[1-9]\d{0,9})$/.exec(text);
  return match ? { topic: match[1]!, partition: Number(match[2]) } : undefined;
}
