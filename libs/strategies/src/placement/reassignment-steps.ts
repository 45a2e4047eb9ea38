import { formatTopicPartition, invalidRequest } from '@allot/model';
import { byTopicAndPartition, changedPartitions } from './reassignment.js';
import type { PartitionReplicas } from './reassignment.js';

/** One of several reassignments that are carried out one after the other. */
export interface ReassignmentStep {
  /** Brokers that hold nothing after this step, highest id first. */
  readonly emptied: readonly number[];
  /** The partitions that this step changes, with their replicas after it. */
  readonly partitions: readonly PartitionReplicas[];
  /** Every partition after this step. */
  readonly layout: readonly PartitionReplicas[];
}

/**
 * Cuts a reassignment that empties brokers into steps of `brokersPerStep` brokers, the highest ids first, so that a large
 * move can be watched and stopped. Until its turn a broker keeps its replicas; in its turn each is replaced by the broker
 * that has its place in the final layout, or by the first one there that is not in the list yet. The last step ends in the
 * final layout. A change that empties no broker is a single step; no change is none.
 *
 * Brokers are those that the layouts name, so an order of brokers or a broker of no consequence cannot play a part.
 */
export function reassignmentSteps(
  before: readonly PartitionReplicas[],
  after: readonly PartitionReplicas[],
  brokersPerStep: number,
): ReassignmentStep[] {
  if (!Number.isInteger(brokersPerStep) || brokersPerStep < 1) {
    throw invalidRequest(`A step cannot empty ${brokersPerStep} brokers: give an integer from 1 up.`);
  }
  const final = new Map(after.map((at) => [formatTopicPartition(at), at.replicas] as const));
  if (final.size !== before.length || before.some((at) => !final.has(formatTopicPartition(at)))) {
    throw invalidRequest('Both layouts must name the same partitions, each once.');
  }
  if (changedPartitions(before, after).length === 0) return [];

  const kept = new Set(after.flatMap(({ replicas }) => replicas));
  const leaving = [...new Set(before.flatMap(({ replicas }) => replicas))].filter((broker) => !kept.has(broker));
  leaving.sort((a, b) => b - a);
  const count = Math.max(1, Math.ceil(leaving.length / brokersPerStep));
  const steps: ReassignmentStep[] = [];
  let layout = before;
  for (let i = 0; i < count; i++) {
    const emptied = leaving.slice(i * brokersPerStep, (i + 1) * brokersPerStep);
    const next = i === count - 1 ? after : layout.map((at) => empty(at, emptied, final.get(formatTopicPartition(at))!));
    steps.push({
      emptied,
      partitions: changedPartitions(layout, next),
      layout: [...next].sort(byTopicAndPartition),
    });
    layout = next;
  }
  return steps;
}

/** The partition without the brokers that are emptied. A replica for which the final layout has no broker is dropped. */
function empty(at: PartitionReplicas, emptied: readonly number[], final: readonly number[]): PartitionReplicas {
  const replicas: number[] = at.replicas.filter((broker) => !emptied.includes(broker));
  at.replicas.forEach((broker, place) => {
    if (!emptied.includes(broker)) return;
    const candidates = [final[place], ...final].filter((candidate) => candidate !== undefined);
    const instead = candidates.find((candidate) => !replicas.includes(candidate));
    if (instead !== undefined) replicas.splice(place, 0, instead);
  });
  return { topic: at.topic, partition: at.partition, replicas };
}
