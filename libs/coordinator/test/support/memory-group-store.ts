import { AllotError, invalidRequest } from '@allot/model';
import { indexHolders } from '../../src/consumer/owned-partitions.js';
import { isClassic, timerAt } from '../../src/index.js';
import type {
  Catalog,
  ChangePage,
  DueGroup,
  Group,
  GroupChange,
  GroupFrame,
  GroupMember,
  GroupReading,
  GroupRef,
  GroupStep,
  GroupStore,
  GroupView,
  LeaseRenewal,
  StepResult,
  TransactOptions,
} from '../../src/index.js';

/** What a commit changed, for those who watch the store. */
export interface Commit {
  readonly ref: GroupRef;
  readonly before: Group | undefined;
  /** Undefined: the group was deleted. */
  readonly after: Group | undefined;
  readonly change: GroupChange | undefined;
  readonly renewed: readonly string[];
  readonly catalog: Catalog;
  /** Of the transaction: when its step decided. */
  readonly decidedAt: number;
}

export interface MemoryDatabaseOptions {
  /** The store's clock, whole ms. */
  readonly now: () => number;
  readonly catalogOf: (cluster: string) => Catalog | undefined;
  readonly onCommit?: (commit: Commit) => void;
}

/** What lies between a replica and the store. The default neither waits nor fails. */
export interface StoreLink {
  /** A call is on its way to the store. @throws AllotError STORE_UNAVAILABLE: the store never hears of it. */
  readonly request: () => Promise<void> | undefined;
  /** A transaction has done its work and holds the group's lock. `abort`: a serialization failure, the step runs again. */
  readonly commit: () => Promise<'commit' | 'abort'> | undefined;
  /** The store has done it. @throws AllotError STORE_UNAVAILABLE: nobody is told. */
  readonly answer: () => Promise<void> | undefined;
}

const DIRECT: StoreLink = { request: () => undefined, commit: () => undefined, answer: () => undefined };

/** How often a transaction is tried, as on PostgreSQL. */
const ATTEMPTS = 6;

interface Row {
  readonly pk: number;
  readonly ref: GroupRef;
  readonly group: Group;
  readonly leases: ReadonlyMap<string, number>;
  readonly changes: readonly GroupChange[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The state that the stores of all replicas share. Every method is one statement: it happens at one moment. */
export class MemoryDatabase {
  readonly #rows = new Map<string, Row>();
  readonly #lastRevisions = new Map<string, number>();
  readonly #locks = new Map<string, Promise<void>>();
  #nextPk = 1;

  constructor(readonly options: MemoryDatabaseOptions) {}

  /** Waits for the group's lock; call what it gives to let go of it. */
  async lock(ref: GroupRef): Promise<() => void> {
    const key = keyOf(ref);
    const earlier = this.#locks.get(key);
    let release = () => {};
    const mine = new Promise<void>((resolve) => (release = resolve));
    this.#locks.set(key, mine);
    await earlier;
    return () => {
      if (this.#locks.get(key) === mine) this.#locks.delete(key);
      release();
    };
  }

  row(ref: GroupRef): Row | undefined {
    return this.#rows.get(keyOf(ref));
  }

  rows(): Iterable<Row> {
    return this.#rows.values();
  }

  lastRevision(ref: GroupRef): number {
    return this.#lastRevisions.get(keyOf(ref)) ?? 0;
  }

  /** Writes what a step came to, or with `dryRun` only checks it. */
  write<R>(
    ref: GroupRef,
    before: Group | undefined,
    step: GroupStep<R>,
    view: GroupView,
    { dryRun }: { readonly dryRun: boolean },
  ): { readonly result: StepResult<R>; readonly pk: number | undefined } {
    const { now, catalog } = view;
    const { group, change, reply, renewed = [] } = step;
    const after = group ?? undefined;
    const row = this.row(ref);
    if (after !== undefined) checkStorable(ref, after);
    const leases = after === undefined ? new Map<string, number>() : this.#leases(row, after, renewed);
    const told = new Map(renewed.map((memberId) => [memberId, leases.get(memberId) ?? now]));
    const result = { reply, group: after, leases: told, now };
    if (dryRun || (after === undefined && row === undefined)) return { result, pk: undefined };
    const pk = row?.pk ?? this.#nextPk++;
    const at = this.options.now();
    if (after === undefined) {
      this.#lastRevisions.set(keyOf(ref), row!.group.revision);
      this.#rows.delete(keyOf(ref));
    } else {
      const changes = change === undefined ? (row?.changes ?? []) : [...(row?.changes ?? []), change];
      const updatedAt = change === undefined ? (row?.updatedAt ?? at) : at;
      const kept = change === undefined && row !== undefined;
      // Without a new revision nothing else of it is written.
      const stored = kept ? havingLooked(row.group, after) : after;
      this.#rows.set(keyOf(ref), {
        pk,
        ref,
        group: stored,
        leases,
        changes,
        createdAt: row?.createdAt ?? at,
        updatedAt,
      });
    }
    this.options.onCommit?.({ ref, before, after, change, renewed, catalog, decidedAt: now });
    return { result, pk };
  }

  /** New members of a live group need a lease, or they would never expire; what was promised for longer is kept. */
  #leases(row: Row | undefined, after: Group, renewed: readonly string[]): ReadonlyMap<string, number> {
    const leases = new Map<string, number>();
    const now = this.options.now();
    for (const memberId of after.members.keys()) {
      const until = now + sessionOf(after, memberId);
      const known = row?.leases.get(memberId);
      const begins = renewed.includes(memberId) || (after.source === 'live' && !row?.group.members.has(memberId));
      if (begins) leases.set(memberId, Math.max(known ?? 0, until));
      else if (known !== undefined) leases.set(memberId, known);
    }
    return leases;
  }

  /** Extends a lease that has not run out, if the group is live, has seen the newest catalog, and `holds`. */
  renew(ref: GroupRef, memberId: string, holds: (group: Group) => boolean): LeaseRenewal | undefined {
    const row = this.row(ref);
    const now = this.options.now();
    const known = row?.leases.get(memberId) ?? 0;
    if (row === undefined || known <= now || row.group.source !== 'live') return undefined;
    if (row.group.catalogRevision !== this.options.catalogOf(ref.cluster)?.revision || !holds(row.group))
      return undefined;
    const leaseUntil = Math.max(known, now + sessionOf(row.group, memberId));
    this.#rows.set(keyOf(ref), { ...row, leases: new Map(row.leases).set(memberId, leaseUntil) });
    return { leaseUntil, now, revision: row.group.revision };
  }

  /** Retention: forgets the changes up to a revision. */
  forgetChanges(ref: GroupRef, upTo: number): void {
    const row = this.row(ref)!;
    this.#rows.set(keyOf(ref), { ...row, changes: row.changes.filter(({ revision }) => revision > upTo) });
  }
}

interface Known {
  readonly pk: number;
  readonly group: Group;
}

/** One replica's store: a memory of its own over a database that all share. */
export class MemoryGroupStore implements GroupStore {
  readonly #database: MemoryDatabase;
  readonly #link: StoreLink;
  readonly #known = new Map<string, Known>();

  constructor(database: MemoryDatabase, link: StoreLink = DIRECT) {
    this.#database = database;
    this.#link = link;
  }

  async transact<R>(
    ref: GroupRef,
    step: (view: GroupView) => GroupStep<R>,
    { dryRun = false }: TransactOptions = {},
  ): Promise<StepResult<R>> {
    checkText(ref.groupId);
    await this.#link.request();
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const written = await this.#attempt(ref, step, dryRun);
      if (written === undefined) continue;
      await this.#link.answer();
      const { result, pk } = written;
      if (!dryRun && result.group === undefined) this.#known.delete(keyOf(ref));
      else if (pk !== undefined) this.#remember(ref, pk, result.group!);
      return result;
    }
    throw storeUnavailable();
  }

  /** Undefined: aborted, to be tried again. */
  async #attempt<R>(ref: GroupRef, step: (view: GroupView) => GroupStep<R>, dryRun: boolean) {
    const unlock = await this.#database.lock(ref);
    try {
      const row = this.#database.row(ref);
      const before = row && this.#load(ref, row);
      const view = this.#view(ref, before, row);
      const decided = step(view);
      checkStep(decided, before, view.lastRevision);
      if ((await this.#link.commit()) === 'abort') return undefined;
      return this.#database.write(ref, before, decided, view, { dryRun });
    } finally {
      unlock();
    }
  }

  #view(ref: GroupRef, group: Group | undefined, row: Row | undefined): GroupView {
    const { now: clock, catalogOf } = this.#database.options;
    const catalog = catalogOf(ref.cluster);
    if (catalog === undefined) {
      throw new AllotError('CLUSTER_NOT_FOUND', `There is no cluster "${ref.cluster}".`, { action: 'fix-request' });
    }
    const now = clock();
    const expired = new Set<string>();
    for (const [memberId, until] of row?.leases ?? []) if (until <= now) expired.add(memberId);
    return { group, lastRevision: this.#database.lastRevision(ref), catalog, now, expired };
  }

  /** The group of a row: from memory if nothing but what has no revision of its own has changed. */
  #load(ref: GroupRef, { pk, group }: Row): Group {
    const known = this.#known.get(keyOf(ref));
    if (known?.pk !== pk || known.group.revision !== group.revision) return inOrder(group);
    return havingLooked(known.group, group);
  }

  /** An answer that comes late must not replace what is known since. */
  #remember(ref: GroupRef, pk: number, group: Group): void {
    const known = this.#known.get(keyOf(ref));
    const isOlder =
      known?.pk === pk &&
      (group.revision < known.group.revision ||
        (group.revision === known.group.revision && group.catalogRevision <= known.group.catalogRevision));
    if (!isOlder) this.#known.set(keyOf(ref), { pk, group });
  }

  async renewLease(ref: GroupRef, memberId: string, memberEpoch: number): Promise<LeaseRenewal | undefined> {
    return this.#renew(ref, memberId, ({ members, groupEpoch, assignmentEpoch }) => {
      const member = members.get(memberId);
      const settled = groupEpoch === memberEpoch && assignmentEpoch === memberEpoch;
      return settled && member?.state === 'STABLE' && member.memberEpoch === memberEpoch;
    });
  }

  async renewLeaseAt(ref: GroupRef, memberId: string, revision: number): Promise<LeaseRenewal | undefined> {
    return this.#renew(ref, memberId, (group) => group.revision === revision);
  }

  async #renew(ref: GroupRef, memberId: string, holds: (group: Group) => boolean): Promise<LeaseRenewal | undefined> {
    await this.#link.request();
    const renewal = this.#database.renew(ref, memberId, holds);
    await this.#link.answer();
    return renewal;
  }

  cached(ref: GroupRef, revision?: number): Group | undefined {
    const group = this.#known.get(keyOf(ref))?.group;
    return revision === undefined || group?.revision === revision ? group : undefined;
  }

  findExpired(limit: number): Promise<readonly DueGroup[]> {
    return this.#find(limit, ({ group, leases }, now) => {
      const { members } = group;
      const timer = isClassic(group) ? timerAt(group) : group.nextAssignmentAt;
      if ((timer ?? Infinity) <= now) return true;
      for (const until of leases.values()) if (until <= now) return true;
      for (const { rebalanceDeadline = Infinity } of members.values()) if (rebalanceDeadline <= now) return true;
      return false;
    });
  }

  findBehindCatalog(limit: number): Promise<readonly DueGroup[]> {
    const { catalogOf } = this.#database.options;
    return this.#find(limit, ({ ref, group }) => group.catalogRevision < (catalogOf(ref.cluster)?.revision ?? 0));
  }

  async #find(limit: number, isDue: (row: Row, now: number) => boolean): Promise<readonly DueGroup[]> {
    await this.#link.request();
    const now = this.#database.options.now();
    const due: DueGroup[] = [];
    for (const row of this.#database.rows()) {
      if (due.length < limit && row.group.source === 'live' && isDue(row, now)) due.push({ ref: row.ref });
    }
    await this.#link.answer();
    return due;
  }

  async read(ref: GroupRef): Promise<GroupReading | undefined> {
    return (await this.readMany(ref.cluster, [ref.groupId])).get(ref.groupId);
  }

  async readMany(cluster: string, groupIds: readonly string[]): Promise<ReadonlyMap<string, GroupReading>> {
    await this.#link.request();
    const now = this.#database.options.now();
    const catalog = this.#database.options.catalogOf(cluster)!;
    const readings = new Map<string, GroupReading>();
    for (const groupId of groupIds) {
      const ref = { cluster, groupId };
      const row = this.#database.row(ref);
      if (row === undefined) continue;
      const { leases, createdAt, updatedAt } = row;
      const group = this.#load(ref, row);
      readings.set(groupId, { group, catalog, now, leases, createdAt, updatedAt });
      this.#remember(ref, row.pk, group);
    }
    await this.#link.answer();
    return readings;
  }

  async changesSince(ref: GroupRef, revision: number, limit: number): Promise<ChangePage> {
    await this.#link.request();
    const row = this.#database.row(ref);
    await this.#link.answer();
    if (row === undefined) return { changes: [], oldest: 1, newest: 0 };
    const changes = row.changes.filter((change) => change.revision > revision).slice(0, limit);
    const newest = row.group.revision;
    return { changes, oldest: row.changes[0]?.revision ?? newest + 1, newest };
  }
}

export function storeUnavailable(): AllotError {
  return new AllotError('STORE_UNAVAILABLE', 'The store is away.', { action: 'retry', retryAfterMs: 1_000 });
}

function sessionOf({ members, settings }: Group, memberId: string): number {
  const member: GroupMember | undefined = members.get(memberId);
  return member?.sessionTimeoutMs ?? settings.sessionTimeoutMs;
}

function keyOf({ cluster, groupId }: GroupRef): string {
  return JSON.stringify([cluster, groupId]);
}

/** `group` with what is written without a new revision, from a later state of it; the same object when that is the same. */
function havingLooked(group: Group, { catalogRevision, ...later }: Group): Group {
  const nextAssignmentAt = 'nextAssignmentAt' in later ? later.nextAssignmentAt : undefined;
  if (isClassic(group)) return group.catalogRevision === catalogRevision ? group : { ...group, catalogRevision };
  if (group.catalogRevision === catalogRevision && group.nextAssignmentAt === nextAssignmentAt) return group;
  return { ...group, catalogRevision, nextAssignmentAt };
}

/** As a database gives members back: in the order in which they joined, whatever the order of the group that was written. */
function inOrder(group: Group): Group {
  const members = [...(group as GroupFrame).members].sort(([a, { joinOrder }], [b, other]) => {
    return joinOrder - other.joinOrder || (a < b ? -1 : 1);
  });
  return { ...group, members: new Map(members) as never };
}

/** @throws Error as the primary key of the ownership table would, and for text that no database takes. */
function checkStorable({ groupId }: GroupRef, group: Group): void {
  for (const { memberId, instanceId = '', rackId = '', clientId = '' } of group.members.values()) {
    for (const text of [memberId, instanceId, rackId, clientId]) checkText(text);
  }
  try {
    indexHolders(group);
  } catch (error) {
    throw new Error(`A partition of group ${groupId} would have had two owners; nothing was written.`, {
      cause: error,
    });
  }
}

function checkText(text: string): void {
  if (/[\0\p{Surrogate}]/u.test(text)) throw invalidRequest('This text cannot be stored: it has NUL in it.');
}

/** @throws Error when a step breaks the contract of the port. */
function checkStep({ group, change }: GroupStep<unknown>, before: Group | undefined, lastRevision: number): void {
  if (group === null) return;
  if (group === undefined) {
    if (before !== undefined) throw new Error('A step must return the group, or null to delete it.');
    return;
  }
  const base = before?.revision ?? lastRevision;
  const isSame = group.revision === before?.revision;
  const isNext = before === undefined ? group.revision > base : group.revision === base + 1;
  if (isSame ? change === undefined : isNext && change?.revision === group.revision) return;
  throw new Error(`A changed group must come with its change and the revision after ${base}, not ${group.revision}.`);
}
