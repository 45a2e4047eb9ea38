import { BrokerMap, numberSet, uuidHashCode } from './broker-maps.js';
import { brokerUniform, emptyTarget, replay } from './broker-uniform.js';
import type { BrokerTarget } from './broker-uniform.js';
import type { AssignorVector } from './vector-shapes.js';

type Owned = Record<string, number[]>;
export type OwnedInOrder = ReadonlyMap<string, ReadonlyMap<string, readonly number[]>>;

/**
 * What a line of `server-uniform` vectors does not say. Lines that follow each other are often steps of one group's life:
 * what a member owns is what it got in the line before. The broker keeps that in a hash map, whose order, where two topic ids
 * share a bucket, is the order in which the topics came to the member; and the answer depends on it. So the broker's maps are
 * carried from line to line here, computed from the lines' inputs alone, never from the recorded answers.
 */
export class BrokerHistory {
  private targets = new Map<string, BrokerTarget>();

  /**
   * Takes in the next line. Answers, for every member, its owned topics and partitions in the order in which the broker has
   * them, or undefined when the line does not continue the one before.
   */
  advance(vector: AssignorVector, kafkaVersion: string): OwnedInOrder | undefined {
    if (vector.assignor !== 'server-uniform' || vector.topics.some(({ id }) => id === undefined)) {
      this.targets.clear();
      return undefined;
    }
    const idOf = new Map(vector.topics.map(({ name, id }) => [name, id!]));
    const nameOf = new Map(vector.topics.map(({ name, id }) => [id!, name]));
    const continues = vector.members.every(({ id, owned = {} }) => this.remembers(id, owned, nameOf));
    const members = vector.members.map(({ id, topics, owned = {} }) => ({
      id,
      topics: [...new Set(topics)].flatMap((name) => idOf.get(name) ?? []),
      target: continues ? replay(this.targets.get(id) ?? emptyTarget()) : targetOf(owned, idOf),
    }));
    const subscriptions = new Set(vector.members.map(({ topics }) => JSON.stringify([...new Set(topics)].sort())));
    const order = new Map(
      members.map(({ id, target }) => [
        id,
        new Map(target.entries().map(({ key, value }) => [nameOf.get(key)!, value.keys()])),
      ]),
    );
    const topics = vector.topics.map(({ id, partitions }) => ({ id: id!, partitions }));
    const asNeeded = !/^4\.0(\.0)?($|-)/.test(kafkaVersion);
    this.targets = brokerUniform(topics, members, subscriptions.size <= 1, asNeeded);
    return continues ? order : undefined;
  }

  private remembers(member: string, owned: Owned, nameOf: ReadonlyMap<string, string>): boolean {
    const known = this.targets.get(member);
    const names = Object.keys(owned).filter((name) => owned[name]!.length > 0);
    if (known === undefined) return names.length === 0;
    if (known.size !== names.length) return false;
    return known.entries().every(({ key, value }) => {
      const name = nameOf.get(key);
      const numbers = name === undefined ? undefined : owned[name];
      return (
        numbers !== undefined &&
        value
          .keys()
          .sort((a, b) => a - b)
          .join() === numbers.join()
      );
    });
  }
}

function targetOf(owned: Owned, idOf: ReadonlyMap<string, string>): BrokerTarget {
  const target: BrokerTarget = new BrokerMap(uuidHashCode);
  for (const [name, numbers] of Object.entries(owned)) {
    const id = idOf.get(name);
    if (id !== undefined && numbers.length > 0) target.put(id, numberSet(numbers));
  }
  return target;
}
