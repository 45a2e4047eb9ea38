import { BrokerMap, numberSet, uuidHashCode } from './broker-maps.js';
import { brokerUniform, emptyTarget, replay } from './broker-uniform.js';
import type { BrokerTarget } from './broker-uniform.js';
import type { AssignorVector } from './vector-shapes.js';

type Owned = Record<string, number[]>;
type VectorMember = AssignorVector['members'][number];

/** What each member owns, in an order in which the broker may have it. */
export interface OwnedInOrder {
  readonly owned: ReadonlyMap<string, ReadonlyMap<string, readonly number[]>>;
  /** Whether the order of what a member has had to be guessed, now or in the line that handed it out. */
  readonly guessed: boolean;
}

/**
 * What a line of `server-uniform` vectors does not say. Lines of one file are often steps of a group's life: what a member
 * owns is what it got in another line. The broker keeps that in a hash map, whose order, where two topic ids share a bucket, is
 * the order in which the topics came to the member; and the answer depends on it. So the broker's maps are kept from line to
 * line here, computed from the lines' inputs alone, never from the recorded answers.
 */
export class BrokerHistory {
  /** The maps that were last handed to a member, by member and content. Those that rest on no guess are preferred. */
  readonly #handedOut = new Map<string, { target: BrokerTarget; guessed: boolean }>();

  /** Takes in a line; answers undefined where order plays no part in it. */
  advance(vector: AssignorVector, kafkaVersion: string): OwnedInOrder | undefined {
    if (vector.assignor !== 'server-uniform' || vector.topics.some(({ id }) => id === undefined)) return undefined;
    const idOf = new Map(vector.topics.map(({ name, id }) => [name, id!]));
    const nameOf = new Map(vector.topics.map(({ name, id }) => [id!, name]));
    let guessed = false;
    const members = vector.members.map((member) => {
      const held = heldTopics(member, idOf);
      const topics = [...new Set(member.topics)].flatMap((name) => idOf.get(name) ?? []);
      if (held.size === 0) return { id: member.id, topics, target: emptyTarget() };
      const known = this.#handedOut.get(keyOf(member.id, held));
      guessed ||= known?.guessed ?? true;
      return { id: member.id, topics, target: known === undefined ? likelyTarget(topics, held) : replay(known.target) };
    });
    const subscriptions = new Set(vector.members.map(({ topics }) => JSON.stringify([...new Set(topics)].sort())));
    const topics = vector.topics.map(({ id, partitions }) => ({ id: id!, partitions }));
    const asNeeded = !/^4\.0(\.0)?($|-)/.test(kafkaVersion);
    for (const [id, target] of brokerUniform(topics, members, subscriptions.size <= 1, asNeeded)) {
      const held = new Map(target.entries().map(({ key, value }) => [key, value.keys()]));
      const key = keyOf(id, held);
      if (!guessed || this.#handedOut.get(key)?.guessed !== false) this.#handedOut.set(key, { target, guessed });
    }
    const owned = members.map(({ id, target }): [string, Map<string, number[]>] => [
      id,
      new Map(target.entries().map(({ key, value }) => [nameOf.get(key)!, value.keys()])),
    ]);
    return { owned: new Map(owned), guessed };
  }
}

type HeldTopics = ReadonlyMap<string, readonly number[]>;

function heldTopics({ owned = {} as Owned }: VectorMember, idOf: ReadonlyMap<string, string>): HeldTopics {
  const held = new Map<string, number[]>();
  for (const [name, numbers] of Object.entries(owned)) {
    const id = idOf.get(name);
    if (id !== undefined && numbers.length > 0) held.set(id, numbers);
  }
  return held;
}

function keyOf(member: string, held: HeldTopics): string {
  const content = [...held].map(([topic, numbers]) => [topic, ...[...numbers].sort((a, b) => a - b)]);
  return JSON.stringify([member, ...content.map(String).sort()]);
}

/** The guess that `uniform` makes: everything came in one round, in which the broker puts each next topic in front. */
function likelyTarget(subscription: readonly string[], held: HeldTopics): BrokerTarget {
  const walk = new BrokerMap<string, true>(uuidHashCode, Math.max(Math.floor(subscription.length / 0.75) + 1, 16));
  for (const topic of subscription) walk.put(topic, true);
  const target: BrokerTarget = new BrokerMap(uuidHashCode);
  const later = [...held.keys()].filter((topic) => walk.get(topic) === undefined);
  for (const topic of [...walk.keys().reverse(), ...later])
    if (held.has(topic)) target.put(topic, numberSet(held.get(topic)!));
  return target;
}
