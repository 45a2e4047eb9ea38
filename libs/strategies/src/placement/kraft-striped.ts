import { compareText } from '@allot/model';
import { JavaHashMap, javaStringHashCode } from '../hashing/java-hash-map.js';
import { JavaRandom } from '../hashing/java-random.js';
import {
  firstPartition,
  placementResult,
  refusal,
  requireCounts,
  requireReplicationFactor,
  requireSeed,
  requireBrokers,
  unfencedBrokers,
} from './placement-request.js';
import type { BrokerSpec, PlacementWarning, ReplicaPlacer } from './replica-placer.js';

/**
 * The placer of KRaft controllers (StripedReplicaPlacer), driven by the sequence of `new java.util.Random(seed)`.
 *
 * 1. A broker holds one replica of a partition at most, and a leader is never fenced: else it refuses.
 * 2. Replicas go round the racks, every partition starting one rack further.
 * 3. Within a rack they go round the brokers, every partition starting one broker further; fenced brokers only when the
 *    unfenced ones of their rack are used up.
 * 4. After as many partitions as there are unfenced brokers, racks and brokers are shuffled, lest the pattern repeat.
 *
 * Racks A, B, C with three brokers each, all offsets 0: A0 B0 C0, then B1 C1 A1, then C2 A2 B2.
 * O(partitions x (replicas + racks)). Brokers without a rack count as one rack of their own.
 */
export const kraftStripedPlacer: ReplicaPlacer = {
  name: 'kraft-striped',
  aliases: ['StripedReplicaPlacer', 'org.apache.kafka.metadata.placement.StripedReplicaPlacer'],
  summary: 'The placer of KRaft clusters: stripes over racks and brokers, fenced brokers last and never as leader.',
  kafkaVersions: '3.0 and later, KRaft',
  place(request) {
    const { brokers } = request;
    requireBrokers(brokers);
    const unfenced = unfencedBrokers(brokers).length;
    requireReplicationFactor(request.replicationFactor);
    if (unfenced === 0) {
      throw refusal(
        'INVALID_REPLICATION_FACTOR',
        brokers.length === 0 ? 'There are no brokers to place replicas on.' : 'All brokers are currently fenced.',
      );
    }
    requireCounts(request, brokers.length);
    const stripes = new Stripes(brokers, JavaRandom.seeded(requireSeed(request, '')));
    const first = firstPartition(request);
    const replicas = new Map<number, number[]>();
    for (let i = 0; i < request.partitions; i++) replicas.set(first + i, stripes.next(request.replicationFactor));
    return placementResult(request, brokers, replicas, fencedWarnings(brokers, replicas));
  },
};

/** Brokers of one rack and one state, handed out in a circle: each once in a round, a new round starting one further. */
class BrokerCircle {
  readonly ids: number[];
  #start: number;
  #given = 0;
  #round = 0;

  constructor(ids: number[], random: JavaRandom) {
    this.ids = ids;
    this.#start = ids.length === 0 ? 0 : random.nextIntBelow(ids.length);
  }

  /** The next broker of a round, undefined when all were given. */
  next(round: number): number | undefined {
    if (this.ids.length === 0) return undefined;
    if (this.#round !== round) {
      this.#round = round;
      this.#given = 0;
      this.#start = (this.#start + 1) % this.ids.length;
    }
    if (this.#given >= this.ids.length) return undefined;
    return this.ids[(this.#given++ + this.#start) % this.ids.length];
  }
}

class Rack {
  readonly fenced: BrokerCircle;
  readonly unfenced: BrokerCircle;

  constructor(brokers: readonly BrokerSpec[], random: JavaRandom) {
    const ids = (fenced: boolean) =>
      brokers
        .filter((broker) => (broker.fenced ?? false) === fenced)
        .map(({ id }) => id)
        .sort((a, b) => a - b);
    // Fenced first: that is the order in which Kafka draws the starts.
    this.fenced = new BrokerCircle(ids(true), random);
    this.unfenced = new BrokerCircle(ids(false), random);
  }

  shuffle(random: JavaRandom): void {
    random.shuffle(this.fenced.ids);
    random.shuffle(this.unfenced.ids);
  }

  next(round: number): number | undefined {
    return this.unfenced.next(round) ?? this.fenced.next(round);
  }
}

/** Java's `Optional<String>`: an absent rack hashes to 0 and sorts first. */
const RACK_KEYS = {
  hashCode: (rack: string | undefined) => (rack === undefined ? 0 : javaStringHashCode(rack)),
  compare: compareRacks,
};

function compareRacks(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  return compareText(a, b);
}

/** The racks of a cluster and how far the stripes have come. */
class Stripes {
  readonly #random: JavaRandom;
  /** In the order in which Kafka's HashMap of racks is walked: it decides who draws which random number. */
  readonly #inHashOrder: readonly Rack[];
  readonly #stripe: Rack[];
  readonly #unfencedBrokers: number;
  #round = 0;
  #offset: number;

  constructor(brokers: readonly BrokerSpec[], random: JavaRandom) {
    const byRack = new JavaHashMap<string | undefined, BrokerSpec[]>(RACK_KEYS);
    for (const broker of brokers) {
      const members = byRack.get(broker.rack);
      if (members === undefined) byRack.set(broker.rack, [broker]);
      else members.push(broker);
    }
    const racks = [...byRack.entries()].map(({ key, value }) => ({ name: key, rack: new Rack(value, random) }));
    this.#inHashOrder = racks.map(({ rack }) => rack);
    this.#stripe = racks.sort((a, b) => compareRacks(a.name, b.name)).map(({ rack }) => rack);
    this.#random = random;
    this.#unfencedBrokers = unfencedBrokers(brokers).length;
    this.#offset = random.nextIntBelow(racks.length);
  }

  /** The replicas of the next partition. There are enough brokers, and at least one is unfenced. */
  next(replicationFactor: number): number[] {
    // With a single unfenced broker the round must grow for ever: its circle only starts anew when the round changes.
    if (this.#round === this.#unfencedBrokers && this.#unfencedBrokers > 1) this.#shuffle();
    const racks = this.#stripe;
    if (this.#offset === racks.length) this.#offset = 0;

    let leaderRack = this.#offset;
    let leader = racks[leaderRack]!.unfenced.next(this.#round);
    while (leader === undefined) {
      leaderRack = (leaderRack + 1) % racks.length;
      leader = racks[leaderRack]!.unfenced.next(this.#round);
    }

    // The others come from the offset on, not from the leader's rack on; that one is passed over once, when it comes up.
    const replicas = [leader];
    let passOver = leaderRack;
    for (let rack = this.#offset; replicas.length < replicationFactor; rack = (rack + 1) % racks.length) {
      if (rack === passOver) {
        passOver = -1;
        continue;
      }
      const broker = racks[rack]!.next(this.#round);
      if (broker !== undefined) replicas.push(broker);
    }
    this.#round++;
    this.#offset++;
    return replicas;
  }

  #shuffle(): void {
    this.#random.shuffle(this.#stripe);
    for (const rack of this.#inHashOrder) rack.shuffle(this.#random);
    this.#round = 0;
  }
}

function fencedWarnings(brokers: readonly BrokerSpec[], replicas: ReadonlyMap<number, number[]>): PlacementWarning[] {
  const fenced = new Set(brokers.filter((broker) => broker.fenced).map(({ id }) => id));
  const used = [...new Set([...replicas.values()].flat())].filter((id) => fenced.has(id)).sort((a, b) => a - b);
  if (used.length === 0) return [];
  return [
    {
      code: 'replicas-on-fenced-brokers',
      message: `Too few brokers are in service: replicas were placed on the fenced broker(s) ${used.join(', ')}.`,
    },
  ];
}
