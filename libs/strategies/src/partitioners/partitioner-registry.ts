import { AllotError } from '@allot/model';
import { builtInPartitioner } from './built-in.js';
import { franzGoPartitioners, saramaPartitioners } from './go-clients.js';
import { librdkafkaPartitioners } from './librdkafka.js';
import { kafkajsLegacyPartitioner, kafkajsPartitioner, nodeSinekPartitioner } from './node-clients.js';
import type { Partitioner } from './partitioner.js';
import { randomIntervalPartitioner } from './random-interval.js';
import { defaultRoundRobinPartitioner, roundRobinPartitioner } from './round-robin.js';
import { defaultPartitioner, uniformStickyPartitioner } from './sticky.js';

/** Every partitioner, in the order in which they are listed to people: Kafka's own first, then those of other clients. */
const PARTITIONERS: readonly Partitioner[] = [
  builtInPartitioner,
  defaultPartitioner,
  roundRobinPartitioner,
  uniformStickyPartitioner,
  defaultRoundRobinPartitioner,
  randomIntervalPartitioner,
  ...librdkafkaPartitioners,
  ...saramaPartitioners,
  ...franzGoPartitioners,
  kafkajsPartitioner,
  kafkajsLegacyPartitioner,
  nodeSinekPartitioner,
];

const byName = new Map(PARTITIONERS.flatMap((known) => [known.name, ...known.aliases].map((name) => [name, known])));

/** All partitioners, for listings. */
export function listPartitioners(): readonly Partitioner[] {
  return PARTITIONERS;
}

/**
 * The partitioner with this name or alias (Kafka's class name, a value of librdkafka's setting). Case matters.
 *
 * @throws AllotError UNSUPPORTED_PARTITIONER naming the known ones
 */
export function resolvePartitioner(nameOrAlias: string): Partitioner {
  const partitioner = byName.get(nameOrAlias.trim());
  if (partitioner !== undefined) return partitioner;
  const known = PARTITIONERS.map(({ name }) => name);
  throw new AllotError(
    'UNSUPPORTED_PARTITIONER',
    `There is no partitioner "${nameOrAlias}". Use one of: ${known.join(', ')}, or Kafka's class name for it.`,
    { action: 'fix-request', facts: { known } },
  );
}
