import type { FieldError, GroupSpec, TopicSpec } from '@allot/model';
import type { AddBrokers, ChangeBroker, RemoveBrokers } from './change.js';

/** More than any cluster has. */
export const MOST_BROKERS = 10_000;

/** A broker of the cluster, as far as assignments depend on it. */
export interface BrokerSpec {
  readonly id: number;
  /** broker.rack; absent: it has none. */
  readonly rack?: string;
}

/** A topic that may say on which brokers its replicas are. */
export interface ReplicatedTopic extends TopicSpec {
  /** Broker ids of each partition's replicas, in replica order. `racks` says the same in racks, as assignors read it. */
  readonly replicas?: readonly (readonly number[])[];
}

/** A group on a cluster of which the brokers are known. */
export interface ReplicatedGroup extends GroupSpec {
  readonly topics: readonly ReplicatedTopic[];
  readonly brokers?: readonly BrokerSpec[];
}

/** Broker id -> rack, undefined where it has none. */
export type BrokerRacks = ReadonlyMap<number, string | undefined>;

export function brokerRacksOf(brokers: readonly BrokerSpec[]): Map<number, string | undefined> {
  return new Map(brokers.map(({ id, rack }) => [id, rack]));
}

/**
 * The topic with the racks of its replicas, as Kafka's metadata has them: a broker without a rack counts for none. A topic none
 * of whose replicas is in a rack says nothing of racks.
 */
export function withReplicaRacks(topic: ReplicatedTopic, brokers: BrokerRacks): ReplicatedTopic {
  const { racks: _, ...rest } = topic;
  // Lists that do not fit are refused where the topic is checked.
  if (topic.replicas?.length !== topic.partitions) return topic;
  const racks = topic.replicas.map((replicas) => replicas.flatMap((broker) => brokers.get(broker) ?? []));
  return racks.some((known) => known.length > 0) ? { ...rest, racks } : rest;
}

/** Replicas on brokers that are not there, and lists that do not fit the partitions. */
export function replicaErrors(
  { name, partitions, replicas }: ReplicatedTopic,
  brokers: { readonly has: (id: number) => boolean } | undefined,
  pointer: string,
): FieldError[] {
  if (replicas === undefined) return [];
  const at = `${pointer}/replicas`;
  if (replicas.length !== partitions) {
    const detail = `replicas has ${replicas.length} entries for ${partitions} partitions; give one list of broker ids a partition.`;
    return [{ pointer: at, detail }];
  }
  if (brokers === undefined) {
    return [{ pointer: at, detail: 'Replicas are on brokers: list these in "brokers", [{"id": 1, "rack": "a"}].' }];
  }
  const unknown = new Set(replicas.flat().filter((id) => !brokers.has(id)));
  if (unknown.size > 0)
    return [{ pointer: at, detail: `${name} has replicas on brokers that are not listed: ${some([...unknown])}.` }];
  const twice = replicas.findIndex((list) => new Set(list).size < list.length);
  return twice < 0 ? [] : [{ pointer: `${at}/${twice}`, detail: 'A broker holds at most one replica of a partition.' }];
}

export function brokerErrors(brokers: readonly BrokerSpec[], pointer: string): FieldError[] {
  if (brokers.length > MOST_BROKERS) {
    return [{ pointer, detail: `A plan takes at most ${MOST_BROKERS} brokers.` }];
  }
  const seen = new Set<number>();
  return brokers.flatMap(({ id }, i) => {
    if (seen.has(id))
      return [{ pointer: `${pointer}/${i}/id`, detail: `Broker ${id} is listed already; list it once.` }];
    seen.add(id);
    return [];
  });
}

/** What a change of brokers works on; it is changed in place. */
export interface BrokerState {
  brokers: Map<number, string | undefined> | undefined;
  readonly topics: Map<string, ReplicatedTopic>;
  /** Topics whose racks the change cannot tell. */
  readonly unknownReplicas: Set<string>;
}

/**
 * Brokers that go take their replicas with them, one that comes has none yet, and one in another rack takes them there. Racks
 * of partitions follow; those of topics whose replicas are not known stay as they are.
 */
export function changeBrokers(
  state: BrokerState,
  change: AddBrokers | RemoveBrokers | ChangeBroker,
  pointer: string,
): FieldError[] {
  const { brokers } = state;
  if (brokers === undefined) {
    const detail =
      'No broker is known here. List them in "brokers", [{"id": 1, "rack": "a"}], and say the "replicas" of topics; for a stored group, register the brokers of its cluster.';
    return [{ pointer, detail }];
  }
  const errors = 'addBrokers' in change ? add(brokers, change, pointer) : wrongIds(brokers, change, pointer);
  if (errors.length > 0) return errors;
  if ('broker' in change) brokers.set(change.broker, change.rack ?? undefined);
  const gone = new Set('removeBrokers' in change ? change.removeBrokers : []);
  for (const id of gone) brokers.delete(id);
  for (const topic of state.topics.values()) {
    const { name, replicas } = topic;
    if (replicas === undefined) state.unknownReplicas.add(name);
    else {
      const left = gone.size === 0 ? replicas : replicas.map((list) => list.filter((id) => !gone.has(id)));
      state.topics.set(name, withReplicaRacks({ ...topic, replicas: left }, brokers));
    }
  }
  return [];
}

function add(brokers: Map<number, string | undefined>, { addBrokers }: AddBrokers, pointer: string): FieldError[] {
  for (const [i, { id, rack }] of addBrokers.entries()) {
    const at = `${pointer}/addBrokers/${i}/id`;
    if (brokers.has(id)) {
      const detail = `Broker ${id} is there already; {"broker": ${id}, "rack": "b"} changes its rack.`;
      return [{ pointer: at, detail }];
    }
    if (brokers.size >= MOST_BROKERS) return [{ pointer: at, detail: `A plan takes at most ${MOST_BROKERS} brokers.` }];
    brokers.set(id, rack);
  }
  return [];
}

function wrongIds(brokers: BrokerRacks, change: RemoveBrokers | ChangeBroker, pointer: string): FieldError[] {
  const [at, ids] =
    'broker' in change ? [`${pointer}/broker`, [change.broker]] : [`${pointer}/removeBrokers`, change.removeBrokers];
  const unknown = ids.filter((id) => !brokers.has(id));
  if (unknown.length === 0) return [];
  const there = brokers.size === 0 ? 'there are none' : `there are ${some([...brokers.keys()])}`;
  return [{ pointer: at, detail: `There is no broker ${some(unknown)} at this point; ${there}.` }];
}

function some(ids: readonly number[]): string {
  return `${ids.slice(0, 20).join(', ')}${ids.length > 20 ? ` and ${ids.length - 20} more` : ''}`;
}
