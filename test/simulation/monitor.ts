import { isClassic } from '../../libs/coordinator/src/index.js';
import type {
  Catalog,
  ClassicGroup,
  ConsumerGroup,
  Group,
  GroupReading,
  MemberAnswer,
} from '../../libs/coordinator/src/index.js';
import { indexHolders, type HolderIndex } from '../../libs/coordinator/src/consumer/owned-partitions.js';
import {
  checkGroup,
  checkHistory,
  checkSpoken,
  lastHolders,
  type Past,
} from '../../libs/coordinator/test/support/exploration-invariants.js';
import type { Commit, MemoryDatabase } from '../../libs/coordinator/test/support/memory-group-store.js';
import { REF } from './replica.js';
import type { Belief, Process } from './process.js';

interface HolderChange {
  readonly revision: number;
  readonly holder: string | undefined;
}

/** Watches every commit, answer and worker, and says at once which promise is broken. It knows everything, so nothing can be hidden from it. */
export class Monitor {
  commits = 0;
  #group: Group | undefined;
  /** Of a group of type consumer. */
  #past: Past = { group: undefined, lastHolders: new Map() };
  #holderOf: HolderIndex = () => undefined;
  /** Partition -> who held it from which revision on. */
  readonly #holders = new Map<string, HolderChange[]>();
  /** Instance id -> its ids in a classic group since it was last free, the newest last. */
  readonly #idsOf = new Map<string, readonly string[]>();
  /** After an outage of the store, the moment before which no session may end. True time. */
  #graceUntil = 0;

  get group(): Group | undefined {
    return this.#group;
  }

  noteOutage(graceUntil: number): void {
    this.#graceUntil = graceUntil;
  }

  /** @throws Error */
  onCommit({ before, after, change, renewed, catalog }: Commit, now: number): void {
    this.commits++;
    const known = this.#group;
    if (before?.revision !== known?.revision) {
      throw new Error(`lost update: a step on revision ${before?.revision} overwrote ${known?.revision}`);
    }
    this.#group = after;
    if (after === undefined) {
      this.#past = { group: undefined, lastHolders: new Map() };
      this.#holderOf = () => undefined;
      this.#idsOf.clear();
      this.#noteHolders(before!.revision + 1);
      return;
    }
    if (known !== undefined || change === undefined || after.revision === 1) {
      checkHistory(known, { group: after, ...(change !== undefined && { change }) });
    }
    this.#holderOf = indexHolders(after);
    if (isClassic(after)) this.#checkClassic(known, after);
    else this.#checkConsumer(after, renewed, catalog);
    if (change?.cause === 'session-expired' && now < this.#graceUntil) {
      throw new Error('a session ended although the store was away and nobody could be heard');
    }
    if (change !== undefined) this.#noteHolders(after.revision);
  }

  #checkConsumer(after: ConsumerGroup, renewed: readonly string[], catalog: Catalog): void {
    checkGroup(this.#past, after);
    for (const memberId of renewed) if (after.members.has(memberId)) checkSpoken(after, memberId, catalog);
    this.#past = { group: after, lastHolders: lastHolders(this.#past, after) };
  }

  /** Generations only rise, and nobody has reached one that is not there. */
  #checkClassic(before: Group | undefined, after: ClassicGroup): void {
    this.#noteInstances(after);
    const { groupEpoch, assignmentEpoch, members, phase } = after;
    if (groupEpoch < (before?.groupEpoch ?? 0)) throw new Error('the generation fell');
    if (assignmentEpoch < (before?.assignmentEpoch ?? 0)) throw new Error('the generation of the assignment fell');
    if (phase === 'STABLE' && assignmentEpoch !== groupEpoch) throw new Error('it is STABLE without an assignment');
    if (phase === 'STABLE' && members.get(after.leader ?? '') === undefined) throw new Error('nobody leads');
    for (const { memberId, memberEpoch } of members.values()) {
      if (memberEpoch > groupEpoch) throw new Error(`${memberId} is in generation ${memberEpoch} of ${groupEpoch}`);
    }
  }

  #noteInstances({ members }: ClassicGroup): void {
    const now = new Map<string, string>();
    for (const { memberId, instanceId } of members.values())
      if (instanceId !== undefined) now.set(instanceId, memberId);
    for (const instanceId of this.#idsOf.keys()) if (!now.has(instanceId)) this.#idsOf.delete(instanceId);
    for (const [instanceId, memberId] of now) {
      const ids = this.#idsOf.get(instanceId) ?? [];
      if (ids.at(-1) !== memberId) this.#idsOf.set(instanceId, [...ids, memberId]);
    }
  }

  /** Whether another process took the place of this member, and somebody has had the instance id ever since. */
  wasReplaced(instanceId: string, memberId: string): boolean {
    return this.#idsOf.get(instanceId)?.slice(0, -1).includes(memberId) === true;
  }

  #noteHolders(revision: number): void {
    const held = new Map<string, string>();
    for (const member of this.#group?.members.values() ?? []) {
      for (const owned of [member.assigned, member.pendingRevocation]) {
        for (const [topic, partitions] of owned) {
          for (const partition of partitions.keys()) held.set(`${topic}-${partition}`, member.memberId);
        }
      }
    }
    for (const key of held.keys()) if (!this.#holders.has(key)) this.#holders.set(key, []);
    for (const [key, changes] of this.#holders) {
      const holder = held.get(key);
      if (changes.at(-1)?.holder !== holder) changes.push({ revision, holder });
    }
  }

  /** R8, A and C: nobody works on what is not its own by the books, so no two work on one partition. @throws Error */
  checkWorkers(workers: readonly Process[]): void {
    for (const worker of workers) {
      if (worker.held.size === 0 || !worker.isWorking) continue;
      for (const [topic, partitions] of worker.held) {
        for (const partition of partitions) {
          const holder = this.#holderOf(topic, partition);
          if (holder === worker.memberId) continue;
          throw new Error(`R8: ${topic}-${partition} is ${holder ?? 'nobody'}'s while ${worker.memberId} works on it`);
        }
      }
    }
  }

  /** No answer promises more than what is written. @throws Error */
  checkAnswer(answer: Pick<MemberAnswer, 'memberId' | 'validUntil' | 'revision'>, database: MemoryDatabase): void {
    const { memberId, validUntil, revision } = answer;
    const row = database.row(REF);
    if (row === undefined) return;
    if (revision > row.group.revision) throw new Error(`an answer tells revision ${revision}, which is not written`);
    const lease = row.leases.get(memberId);
    if (lease !== undefined && validUntil > lease) {
      throw new Error(`${memberId} is promised ${validUntil - lease} ms more than its lease`);
    }
  }

  /**
   * A claim may be granted only if its member holds the partition and nobody else has held it since the answer that the claim rests on,
   * and must be granted while the worker rightly works on it. @throws Error
   */
  checkVerdict(belief: Belief, granted: boolean, reading: GroupReading, isWorking: boolean): void {
    for (const [topic, partitions] of belief.held) {
      for (const partition of partitions) {
        const { revision } = reading.group;
        const changes = (this.#holders.get(`${topic}-${partition}`) ?? []).filter(
          (change) => change.revision <= revision,
        );
        const since = changes.filter((change) => change.revision > belief.revision);
        const isStale =
          changes.at(-1)?.holder !== belief.memberId ||
          since.some(({ holder }) => holder !== undefined && holder !== belief.memberId);
        if (granted && isStale) {
          throw new Error(`a stale claim of ${belief.memberId} to ${topic}-${partition} is granted`);
        }
        // A claim of an earlier generation is refused in a classic group, as Kafka refuses its commits.
        if (!granted && isWorking && !isStale && !isClassic(reading.group)) {
          throw new Error(`${belief.memberId} is refused ${topic}-${partition}, on which it works`);
        }
      }
    }
  }
}
