import { compareText, invalidRequest } from '@allot/model';
import { JavaRandom } from '../hashing/java-random.js';
import {
  firstPartition,
  placementResult,
  requireCounts,
  requireSeed,
  sortedBrokers,
  unfencedBrokers,
} from './placement-request.js';
import type { BrokerSpec, PlacementRequest, ReplicaPlacer } from './replica-placer.js';

/** A broker whose rack, if any, counts. */
interface Site {
  readonly id: number;
  readonly rack: string | undefined;
}

/**
 * The shifted round-robin of Kafka's AdminUtils, used by ZooKeeper clusters and by `kafka-reassign-partitions --generate`.
 *
 * 1. First replicas go round the brokers, so leaders are even.
 * 2. Further replicas follow at a distance that grows by one with every turn, so a broker's partitions are spread over all
 *    the others: brokers 0-4, replication factor 3, start 0 gives 012 123 234 340 401, then 023 134 240 301 412.
 * 3. With racks, the brokers are first arranged so that neighbours are in different racks (0, 3, 1, 5, 4, 2 for the racks
 *    1, 3, 3, 2, 2, 1 of brokers 0-5), and a broker is passed over while its rack has a replica and another rack has none.
 *
 * O(partitions x replicas) without racks, times the brokers at worst with them. Fenced brokers get nothing.
 */
export const adminUtilsPlacer: ReplicaPlacer = {
  name: 'admin-utils',
  aliases: ['AdminUtils', 'org.apache.kafka.admin.AdminUtils', 'kafka.admin.AdminUtils'],
  summary: 'Shifted round-robin of clusters on ZooKeeper and of the reassignment tool; aware of racks.',
  kafkaVersions: '0.10 to 4.0; gone from 4.1',
  place(request) {
    const brokers = unfencedBrokers(sortedBrokers(request.brokers));
    requireCounts(request, brokers.length);
    const sites = alternateRacks(racksInForce(brokers, request));
    const { start, shift } = startOf(request, sites.length);
    const racks = new Set(sites.map(({ rack }) => rack)).size;
    const replicas = new Map<number, number[]>();
    const first = firstPartition(request);
    let turn = shift;
    for (let partition = first; partition < first + request.partitions; partition++) {
      if (partition > 0 && partition % sites.length === 0) turn++;
      const leader = (partition + start) % sites.length;
      replicas.set(partition, replicasOf(sites, racks, leader, turn, request.replicationFactor));
    }
    return placementResult(request, brokers, replicas);
  },
};

/** The brokers with the racks that count in the request's mode: all of them, or none. */
function racksInForce(brokers: readonly BrokerSpec[], { rackAwareMode = 'enforced' }: PlacementRequest): Site[] {
  const without = brokers.filter(({ rack }) => rack === undefined);
  if (without.length > 0 && without.length < brokers.length && rackAwareMode === 'enforced') {
    throw invalidRequest(
      `Not all brokers have a rack (${without.map(({ id }) => id).join(', ')} have none), so replicas cannot be spread ` +
        'over racks: give every broker its rack, or set rackAwareMode to "safe" or "disabled".',
    );
  }
  const blind = without.length > 0 || rackAwareMode === 'disabled';
  return brokers.map(({ id, rack }) => ({ id, rack: blind ? undefined : rack }));
}

/** One broker of every rack in turn, racks by name, brokers of a rack by id, until all are taken. */
function alternateRacks(sites: readonly Site[]): Site[] {
  const byRack = new Map<string, Site[]>();
  for (const site of sites) {
    const rack = site.rack ?? '';
    const others = byRack.get(rack);
    if (others === undefined) byRack.set(rack, [site]);
    else others.push(site);
  }
  const racks = [...byRack.keys()].sort(compareText).map((rack) => byRack.get(rack)!);
  const rounds = Math.max(...racks.map((rack) => rack.length));
  return Array.from({ length: rounds }, (_, round) => racks.flatMap((rack) => rack.slice(round, round + 1))).flat();
}

/** Kafka draws the start and the first shift independently; a fixed start is also the first shift. */
function startOf(request: PlacementRequest, brokers: number): { start: number; shift: number } {
  const { fixedStartIndex } = request;
  if (fixedStartIndex !== undefined && fixedStartIndex >= 0) {
    if (!Number.isInteger(fixedStartIndex))
      throw invalidRequest(`fixedStartIndex ${fixedStartIndex} is not an integer.`);
    return { start: fixedStartIndex, shift: fixedStartIndex };
  }
  const random = JavaRandom.seeded(requireSeed(request, ', or "fixedStartIndex"'));
  const start = random.nextIntBelow(brokers);
  return { start, shift: random.nextIntBelow(brokers) };
}

/**
 * The replicas of one partition. Without racks there is a single one, which the leader already covers, and nothing is ever
 * passed over: the walk of the rack-aware rule is then the plain one, but for the shift, which racks multiply.
 */
function replicasOf(
  sites: readonly Site[],
  racks: number,
  leader: number,
  turn: number,
  replicationFactor: number,
): number[] {
  const taken = new Set([leader]);
  const covered = new Set([sites[leader]!.rack]);
  const shift = turn * racks;
  for (let step = 0; taken.size < replicationFactor; step++) {
    const index = (leader + 1 + ((shift + step) % (sites.length - 1))) % sites.length;
    const { rack } = sites[index]!;
    if (taken.has(index) || (covered.has(rack) && covered.size < racks)) continue;
    taken.add(index);
    covered.add(rack);
  }
  return [...taken].map((index) => sites[index]!.id);
}
