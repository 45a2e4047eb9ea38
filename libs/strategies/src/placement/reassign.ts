import { AllotError, formatTopicPartition, invalidRequest } from '@allot/model';
import { balanceReplicas } from './balance-replicas.js';
import { requireBrokers } from './placement-request.js';
import { byTopicAndPartition, changedPartitions } from './reassignment.js';
import type { PartitionReplicas } from './reassignment.js';
import { ReplicaLayout } from './replica-layout.js';
import type { MovingPartition } from './replica-layout.js';
import type { BrokerSpec, PlacementWarning } from './replica-placer.js';

export interface ReassignRequest {
  /** Every partition with its target replicas: of one that is being reassigned those it will have (`targetReplicas`). */
  readonly partitions: readonly PartitionReplicas[];
  /**
   * The brokers of the cluster as it shall be. Replicas leave brokers that are fenced or not listed; listing a broker that
   * goes, as fenced, says its rack.
   */
  readonly brokers: readonly BrokerSpec[];
  /** `evacuate` moves only what must move; `rebalance`, the default, then evens out the number of replicas a broker has. */
  readonly mode?: 'evacuate' | 'rebalance';
  /** `strict`: a moved replica goes only to a rack that its partition is not in. `relaxed`, the default: if there is one. */
  readonly rackRule?: 'relaxed' | 'strict';
  /** Spread every partition over so many racks at least, or refuse. */
  readonly minRacks?: number;
  /** Accept that partitions lose replicas for which there is no broker. */
  readonly allowFewerReplicas?: boolean;
}

export interface ReassignResult {
  /** The partitions that change, by topic and number: what goes into Kafka's reassignment JSON. */
  readonly changed: readonly PartitionReplicas[];
  /** All partitions as they will be, in the order of the request. */
  readonly layout: readonly PartitionReplicas[];
  /** Replicas that are copied to another broker. */
  readonly moves: number;
  readonly warnings: readonly PlacementWarning[];
}

/**
 * Reassigns replicas after brokers were added, removed or fenced, with as few copies as possible:
 *
 * 1. A replica on a broker that leaves goes to a broker that the partition is not on yet: in another rack than the
 *    partition's other replicas if there is one, then to the one with the fewest replicas.
 * 2. With `minRacks`, partitions in too few racks are spread.
 * 3. With `rebalance`, replicas move from the fullest to the emptiest brokers until every broker has R or R + 1 of them. No
 *    such move brings a partition into fewer racks.
 *
 * A moved replica takes the place of the old one, so the order of replicas, and the preferred leader unless it moved, stay.
 * The answer depends neither on the order of the brokers nor on that of the partitions.
 *
 * @throws AllotError REPLICATION_DECREASED when partitions would lose replicas and that is not allowed; INVALID_REQUEST
 */
export function reassign(request: ReassignRequest): ReassignResult {
  requireBrokers(request.brokers);
  requirePartitions(request);
  const layout = new ReplicaLayout(request.partitions, request.brokers);
  if (layout.eligible.length === 0) throw invalidRequest('No broker is in service that replicas could move to.');
  const racksBefore = layout.partitions.map(({ replicas }) => layout.countRacks(replicas));

  const decreased = evacuate(layout, request.rackRule ?? 'relaxed');
  if (decreased.length > 0 && request.allowFewerReplicas !== true) throw replicationDecreased(decreased);
  if (request.minRacks !== undefined) spreadOverRacks(layout, request.minRacks);
  const balanced = request.mode === 'evacuate' || balanceReplicas(layout, request.rackRule ?? 'relaxed');

  const after = layout.partitions.map(({ topic, partition, replicas }, i) => ({
    topic,
    partition,
    replicas: keepPlaces(request.partitions[i]!.replicas, replicas),
  }));
  return {
    changed: changedPartitions(request.partitions, after),
    layout: after,
    moves: countMoves(request.partitions, after),
    warnings: [
      ...decreased.map((partition) => warning('decreased-replication', describeDecrease(partition))),
      ...rackLosses(layout, racksBefore),
      ...(balanced ? [] : [warning('not-balanced', 'Racks, or lists that are full, keep brokers from an even share.')]),
    ],
  };
}

/** Moves replicas off brokers that leave; answers the partitions that lose one, since no broker may take it. */
function evacuate(layout: ReplicaLayout, rackRule: 'relaxed' | 'strict'): Decrease[] {
  const decreased: Decrease[] = [];
  for (const partition of [...layout.partitions].sort(byTopicAndPartition)) {
    const before = partition.replicas;
    for (const broker of before) {
      if (layout.isEligible(broker)) continue;
      const instead = bestReplacement(layout, partition, broker, rackRule);
      if (instead === undefined) layout.drop(partition, broker);
      else layout.move(partition, broker, instead);
    }
    if (partition.replicas.length < before.length) decreased.push({ partition, before });
  }
  return decreased;
}

/** The broker to take a replica's place: in a rack of its own if possible, then with the fewest replicas, then by id. */
function bestReplacement(
  layout: ReplicaLayout,
  { replicas }: MovingPartition,
  leaving: number,
  rackRule: 'relaxed' | 'strict',
): number | undefined {
  const others = replicas.filter((broker) => broker !== leaving && layout.isEligible(broker));
  const racks = new Set(others.map((broker) => layout.rackOf(broker)));
  const shares = (broker: number) => layout.rackOf(broker) !== undefined && racks.has(layout.rackOf(broker));
  let best: number | undefined;
  for (const broker of layout.eligible) {
    if (replicas.includes(broker) || (rackRule === 'strict' && shares(broker))) continue;
    if (best === undefined) best = broker;
    // Ascending ids: of equals the first one stays.
    else if ((Number(shares(broker)) - Number(shares(best)) || layout.load(broker) - layout.load(best)) < 0)
      best = broker;
  }
  return best;
}

/** Moves replicas that share a rack, the last ones first, until every partition is in `minRacks` racks. */
function spreadOverRacks(layout: ReplicaLayout, minRacks: number): void {
  if (!Number.isInteger(minRacks) || minRacks < 1) throw invalidRequest('minRacks is an integer from 1 up.');
  for (const partition of [...layout.partitions].sort(byTopicAndPartition)) {
    const wanted = Math.min(minRacks, partition.replicas.length);
    while (layout.countRacks(partition.replicas) < wanted) {
      const racks = partition.replicas.map((broker) => layout.rackOf(broker));
      const spare = partition.replicas.findLast((_, i) => racks[i] === undefined || racks.indexOf(racks[i]) < i);
      const elsewhere = layout.eligible
        .filter((broker) => layout.rackOf(broker) !== undefined && !racks.includes(layout.rackOf(broker)))
        .sort((a, b) => layout.load(a) - layout.load(b) || a - b);
      if (spare === undefined || elsewhere.length === 0) {
        const current = layout.countRacks(layout.eligible);
        throw invalidRequest(
          `Partition ${formatTopicPartition(partition)} needs ${wanted} racks, but the brokers are in ${current}: ` +
            'add brokers in other racks or ask for fewer.',
        );
      }
      layout.move(partition, spare, elsewhere[0]!);
    }
  }
}

interface Decrease {
  readonly partition: MovingPartition;
  readonly before: readonly number[];
}

function describeDecrease({ partition, before }: Decrease): string {
  const name = formatTopicPartition(partition);
  return `${name}: [${before.join(', ')}] -> [${partition.replicas.join(', ')}] has fewer replicas: no broker meets the constraints.`;
}

function replicationDecreased(decreased: readonly Decrease[]): AllotError {
  const partitions = decreased.map(({ partition: { topic, partition, replicas }, before }) => ({
    topic,
    partition,
    before,
    after: replicas,
  }));
  return new AllotError(
    'REPLICATION_DECREASED',
    `Replication would decrease, so there is no plan: ${decreased.map(describeDecrease).join(' ')} ` +
      'Add brokers, or allow fewer replicas.',
    { action: 'fix-request', facts: { partitions } },
  );
}

/** Partitions that are in fewer racks than before: only where the rack of a broker that leaves has no other broker. */
function rackLosses(layout: ReplicaLayout, before: readonly number[]): PlacementWarning[] {
  return layout.partitions.flatMap((partition, i) => {
    const now = layout.countRacks(partition.replicas);
    if (now >= before[i]!) return [];
    return [warning('fewer-racks', `${formatTopicPartition(partition)} is in ${now} racks and was in ${before[i]}.`)];
  });
}

/** The brokers of `after`, those that were there before in their old places, newcomers in the places of those that left. */
function keepPlaces(before: readonly number[], after: readonly number[]): number[] {
  const newcomers = after.filter((broker) => !before.includes(broker));
  return before.flatMap((broker) => (after.includes(broker) ? [broker] : newcomers.splice(0, 1)));
}

function countMoves(before: readonly PartitionReplicas[], after: readonly PartitionReplicas[]): number {
  return after.reduce(
    (sum, { replicas }, i) => sum + replicas.filter((broker) => !before[i]!.replicas.includes(broker)).length,
    0,
  );
}

function requirePartitions({ partitions }: ReassignRequest): void {
  const seen = new Set<string>();
  for (const at of partitions) {
    const name = formatTopicPartition(at);
    if (seen.has(name)) throw invalidRequest(`Partition ${name} is listed twice.`);
    seen.add(name);
    if (at.replicas.length === 0 || new Set(at.replicas).size < at.replicas.length) {
      throw invalidRequest(`The replicas of ${name} are empty or name a broker twice.`);
    }
  }
}

function warning(code: string, message: string): PlacementWarning {
  return { code, message };
}
