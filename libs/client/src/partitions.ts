/** Topic to ascending partition numbers. A map, since `__proto__` is a legal name of a topic. */
export type Partitions = ReadonlyMap<string, readonly number[]>;

/** The same in JSON. */
export type PartitionsJson = Readonly<Record<string, readonly number[]>>;

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

export const NO_PARTITIONS: Partitions = new Map();

export function partitionsFromJson(json: PartitionsJson): Partitions {
  return new Map(Object.entries(json));
}

export function partitionsToJson(partitions: Partitions): PartitionsJson {
  return Object.fromEntries(partitions);
}

export function listPartitions(partitions: Partitions): TopicPartition[] {
  return [...partitions].flatMap(([topic, numbers]) => numbers.map((partition) => ({ topic, partition })));
}

export function partitionsOf(list: Iterable<TopicPartition>): Partitions {
  const byTopic = new Map<string, number[]>();
  for (const { topic, partition } of list) {
    const numbers = byTopic.get(topic);
    if (numbers === undefined) byTopic.set(topic, [partition]);
    else numbers.push(partition);
  }
  for (const numbers of byTopic.values()) numbers.sort((a, b) => a - b);
  return byTopic;
}

/** Unlike any other: topics cannot hold a colon, and numbers are last. */
export function keyOf({ topic, partition }: TopicPartition): string {
  return `${topic}:${partition}`;
}
