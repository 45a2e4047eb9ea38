import { holds, type Assignment } from '@allot/model';
import { classicValidUntil } from '../../../src/classic/deadlines.js';
import { indexHolders } from '../../../src/consumer/owned-partitions.js';
import { withoutEpochs } from '../../../src/index.js';
import type { ClassicBench, Given, Told } from './classic-bench.js';
import { json } from '../../support/fixtures.js';

/** A process that follows the protocol, and what it believes. */
export interface Worker {
  readonly name: string;
  readonly instanceId?: string;
  readonly protocols: readonly string[];
  readonly memberId?: string;
  /** The generation that its last join was answered with; 0 when it has none. */
  readonly generation: number;
  /** The generation whose assignment it has. */
  readonly synced: number;
  readonly owned: Assignment;
  /** It stops by itself at this time. */
  readonly validUntil: number;
  readonly waiting?: 'join' | 'sync';
  /** How often it was started. */
  readonly starts: number;
  /** The highest revision that it was told. */
  readonly revision: number;
  /** A join that it gave up and that is still on its way. */
  readonly late?: Given;
}

const NOTHING: Assignment = new Map();

/** A group, the processes around it and time; every action makes another world. */
export class ClassicWorld {
  constructor(
    readonly bench: ClassicBench,
    readonly workers: readonly Worker[],
  ) {}

  #with(name: string, change: Partial<Worker>, bench: ClassicBench): ClassicWorld {
    const workers = this.workers.map((each) => {
      if (each.name !== name) return each;
      const next: Record<string, unknown> = { ...each, ...change };
      for (const key of Object.keys(change)) if (next[key] === undefined) delete next[key];
      return next as unknown as Worker;
    });
    return new ClassicWorld(bench, workers);
  }

  worker(name: string): Worker {
    return this.workers.find((each) => each.name === name)!;
  }

  /** Sends a join; an eager worker has dropped everything before. An answer that is lost teaches it nothing. */
  join(name: string, lost = false): ClassicWorld {
    const bench = this.bench.clone();
    const { request, kept } = this.#joinOf(name);
    const { memberId, newMemberId } = request;
    const told = bench.joinOnce(request);
    if (lost) return this.#with(name, { owned: kept }, bench);
    const id = memberId ?? newMemberId!;
    if (told === 'MEMBER_ID_REQUIRED') return this.#with(name, { memberId: id }, bench);
    return this.#with(name, { owned: kept, memberId: id }, bench).#told(name, told, 'join');
  }

  /** What it says when it joins, and what it goes on with then. */
  #joinOf(name: string): { readonly request: Given; readonly kept: Assignment } {
    const { memberId, instanceId, protocols, generation, owned, starts, revision } = this.worker(name);
    const cooperative = protocols.every((protocol) => protocol === 'cooperative-sticky');
    const kept = cooperative ? owned : NOTHING;
    const request = {
      ...{ newMemberId: `${name}#${starts}`, revision, protocols },
      ...(memberId !== undefined && { memberId }),
      ...(instanceId !== undefined && { instanceId }),
      ...(memberId !== undefined && { owned: json(kept), generation: generation === 0 ? -1 : generation }),
    };
    return { request, kept };
  }

  /** Sends a join and gives it up while it is on its way. */
  giveUp(name: string): ClassicWorld {
    const { request, kept } = this.#joinOf(name);
    return this.#with(name, { late: request, owned: kept }, this.bench);
  }

  /** The join that was given up is there; its answer is nobody's. */
  arrive(name: string): ClassicWorld {
    const bench = this.bench.clone();
    bench.joinOnce(this.worker(name).late!);
    return this.#with(name, { late: undefined } as never, bench);
  }

  sync(name: string, lost = false): ClassicWorld {
    const bench = this.bench.clone();
    const { memberId, instanceId, generation } = this.worker(name);
    const told = bench.sync(memberId!, {
      generation,
      assignedBy: 'service',
      ...(instanceId !== undefined && { instanceId }),
    });
    const world = new ClassicWorld(bench, this.workers);
    return lost ? world : world.#told(name, told, 'sync');
  }

  /** A request that waits is looked at again. */
  poll(name: string): ClassicWorld {
    const { memberId, instanceId, generation, waiting } = this.worker(name);
    const told =
      waiting === 'join'
        ? this.bench.parkedJoin(memberId!, instanceId)
        : this.bench.parkedSync(memberId!, generation, instanceId);
    return this.#told(name, told, waiting!);
  }

  heartbeat(name: string): ClassicWorld {
    const bench = this.bench.clone();
    const { memberId, instanceId, generation } = this.worker(name);
    const told = bench.heartbeat(memberId!, { generation, ...(instanceId !== undefined && { instanceId }) });
    return new ClassicWorld(bench, this.workers).#told(name, told, undefined);
  }

  leave(name: string): ClassicWorld {
    const bench = this.bench.clone();
    bench.leave({ memberId: this.worker(name).memberId! });
    return this.#with(name, { ...FORGOTTEN, starts: this.worker(name).starts + 1 }, bench);
  }

  /** The process dies and starts anew; nobody is told. */
  restart(name: string): ClassicWorld {
    return this.#with(name, { ...FORGOTTEN, starts: this.worker(name).starts + 1 }, this.bench);
  }

  /** Time goes on to the next thing that is due, and a sweep looks. */
  wait(): ClassicWorld {
    const bench = this.bench.clone();
    const due = bench.nextDue();
    if (due === Infinity) return this;
    bench.now = Math.max(bench.now, due);
    bench.sweep();
    return new ClassicWorld(bench, this.workers);
  }

  /** So long, with sweeps. */
  pass(ms: number): ClassicWorld {
    return new ClassicWorld(this.bench.clone().wait(ms), this.workers);
  }

  grow(): ClassicWorld {
    const bench = this.bench.clone();
    bench.setTopics({ t: (bench.catalog.topics.get('t')?.partitions ?? 0) + 1 });
    return new ClassicWorld(bench, this.workers);
  }

  #told(name: string, told: Told, request: 'join' | 'sync' | undefined): ClassicWorld {
    const { bench } = this;
    const worker = this.worker(name);
    const revision = Math.max(worker.revision, bench.group?.revision ?? 0);
    if (told === 'park') return this.#with(name, { waiting: request!, revision }, bench);
    if (told === 'REBALANCE_IN_PROGRESS') return this.#with(name, { waiting: undefined, revision } as never, bench);
    // Whatever else is wrong: drop everything, and begin anew; after a fence under the id that the group knows.
    if (told !== 'answer') {
      const id = told === 'ILLEGAL_GENERATION' ? worker.memberId : undefined;
      const starts = worker.starts + (id === undefined ? 1 : 0);
      return this.#with(name, { ...FORGOTTEN, memberId: id, starts, revision } as never, bench);
    }
    const group = bench.group!;
    const member = group.members.get(worker.memberId!)!;
    const validUntil = classicValidUntil(group, member, bench.leases.get(worker.memberId!)!);
    const changes: Partial<Record<keyof Worker, unknown>> = { validUntil, revision };
    if (request !== undefined) changes.waiting = undefined;
    if (request === 'join') changes.generation = group.groupEpoch;
    if (request === 'sync') {
      changes.owned = withoutEpochs(member.assigned);
      changes.synced = group.groupEpoch;
    }
    return this.#with(name, changes as Partial<Worker>, bench);
  }

  /** What a worker does that only follows the protocol; repeated, everybody should come to rest. */
  step(name: string): ClassicWorld {
    const { memberId, waiting, generation, synced } = this.worker(name);
    if (memberId === undefined || (generation === 0 && waiting === undefined)) return this.join(name);
    if (waiting !== undefined) return this.poll(name);
    if (synced !== generation) return this.sync(name);
    const beaten = this.heartbeat(name);
    const member = beaten.bench.members.get(memberId);
    if (beaten.worker(name).memberId === undefined || member === undefined) return beaten;
    const rejoin = beaten.bench.group!.phase === 'PREPARING_REBALANCE' || member.pendingRevocation.size > 0;
    return rejoin ? beaten.join(name) : beaten;
  }

  get isAtRest(): boolean {
    const { group } = this.bench;
    if (group?.phase !== 'STABLE' || group.members.size !== this.workers.length || group.pending.length > 0)
      return false;
    const synced = this.workers.every(({ synced, waiting }) => synced === group.groupEpoch && waiting === undefined);
    if (!synced) return false;
    const holderOf = indexHolders(group);
    const { partitions } = this.bench.catalog.topics.get('t')!;
    for (let p = 0; p < partitions; p++) if (holderOf('t', p) === undefined) return false;
    return [...group.members.values()].every(({ pendingRevocation }) => pendingRevocation.size === 0);
  }

  /** What must hold in every world; a sentence when it does not. */
  findViolation(before?: ClassicWorld): string | undefined {
    const { group, now } = this.bench;
    if (group === undefined) return undefined;
    try {
      indexHolders(group);
    } catch (error) {
      return (error as Error).message;
    }
    const old = before?.bench.group;
    if (old !== undefined && group.groupEpoch < old.groupEpoch) return 'the generation fell';
    if (
      old !== undefined &&
      group !== old &&
      group.revision !== old.revision + 1 &&
      group.catalogRevision === old.catalogRevision
    )
      return 'a revision is missing';
    const { phase, leader, protocol, timer, members } = group;
    if ((phase === 'EMPTY') !== (members.size === 0 && phase !== 'PREPARING_REBALANCE'))
      return `${phase} with ${members.size} members`;
    if (phase === 'EMPTY' && timer !== undefined) return 'an empty group has a timer';
    if (phase === 'PREPARING_REBALANCE' && (timer === undefined || timer.kind === 'sync'))
      return 'nothing ends the join phase';
    if (phase === 'COMPLETING_REBALANCE' && timer?.kind !== 'sync') return 'nothing ends the wait for the leader';
    if (members.size > 0 && (leader === undefined || !members.has(leader))) return 'the leader is no member';
    if ((phase === 'STABLE' || phase === 'COMPLETING_REBALANCE') && protocol === undefined)
      return 'no assignor was elected';
    return this.#overlap(now);
  }

  /** Two processes that both believe, within their validity, to hold one partition. */
  #overlap(now: number): string | undefined {
    const believers = this.workers.filter(({ validUntil, owned }) => owned.size > 0 && now < validUntil);
    for (const a of believers) {
      for (const b of believers) {
        if (a.name >= b.name) continue;
        for (const [topic, partitions] of a.owned) {
          const both = partitions.find((partition) => holds(b.owned, topic, partition));
          if (both !== undefined) return `${a.name} and ${b.name} both work on ${topic}-${both}`;
        }
      }
    }
    return undefined;
  }

  /** The same for worlds between which no future can tell: times count from now, generations from the group's. */
  key(): string {
    const { group, now, leases, catalog } = this.bench;
    const generation = group?.groupEpoch ?? 0;
    const names = new Map<string, string>();
    const nameOf = (id: string | undefined) => {
      if (id === undefined) return '-';
      let name = names.get(id);
      if (name === undefined) names.set(id, (name = `${id.split('#')[0]}${names.size}`));
      return name;
    };
    // Of revisions only their order counts.
    const revisions = [...this.workers.flatMap((each) => [each.revision, each.late?.revision])];
    for (const { grantedRevision, saidAtRevision } of this.bench.members.values())
      revisions.push(grantedRevision, saidAtRevision);
    const ranks = [...new Set(revisions)].sort((a = -1, b = -1) => a - b);
    const rankOf = (revision: number | undefined) => ranks.indexOf(revision);
    const workers = this.workers.map(
      ({ name, memberId, generation: g, synced, owned, validUntil, waiting, revision, late }) => [
        name,
        nameOf(memberId),
        g === 0 ? null : g - generation,
        synced === 0 ? null : synced - generation,
        json(owned),
        Math.max(0, validUntil - now),
        waiting,
        rankOf(revision),
        late && [
          nameOf(late.memberId ?? late.newMemberId),
          late.memberId === undefined,
          late.owned,
          rankOf(late.revision),
        ],
      ],
    );
    const members = [...(group?.members.values() ?? [])].map((member) => [
      nameOf(member.memberId),
      member.state,
      member.isNew,
      member.memberEpoch === 0 ? null : member.memberEpoch - generation,
      json(withoutEpochs(member.assigned)),
      json(withoutEpochs(member.pendingRevocation)),
      json(member.target),
      member.claim && [json(member.claim.owned), member.claim.generation - generation],
      member.rebalanceDeadline === undefined ? null : member.rebalanceDeadline - now,
      (leases.get(member.memberId) ?? 0) - now,
      ...[member.grantedRevision, member.saidAtRevision].map(rankOf),
      member.formerIds?.map(nameOf),
    ]);
    const timer = group?.timer && [
      group.timer.kind,
      group.timer.at - now,
      group.timer.since - now,
      group.timer.memberAdded,
    ];
    const pending = group?.pending.map(({ memberId, expiresAt }) => [nameOf(memberId), expiresAt - now]);
    const topics = [catalog.topics.get('t')?.partitions, group?.catalogRevision === catalog.revision];
    return JSON.stringify([group?.phase, nameOf(group?.leader), timer, pending, topics, members, workers]);
  }
}

const FORGOTTEN = {
  memberId: undefined,
  generation: 0,
  synced: 0,
  owned: NOTHING,
  validUntil: 0,
  waiting: undefined,
} as unknown as Partial<Worker>;

export function newWorker(name: string, given: Partial<Worker> = {}): Worker {
  return {
    name,
    protocols: ['range'],
    generation: 0,
    synced: 0,
    owned: NOTHING,
    validUntil: 0,
    starts: 0,
    revision: 0,
    ...given,
  };
}
