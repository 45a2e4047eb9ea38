import type {
  ChangePage,
  DueGroup,
  Group,
  GroupReading,
  GroupRef,
  GroupStep,
  GroupStore,
  GroupView,
  LeaseRenewal,
  StepResult,
  TransactOptions,
} from '@allot/coordinator';
import { isClassic } from '@allot/coordinator';
import { AllotError, invalidRequest } from '@allot/model';
import { CatalogCache } from '../catalog/catalog-cache.js';
import { BatchQueue } from '../database/batch-queue.js';
import type { Waiting } from '../database/batch-queue.js';
import type { Database, Statements } from '../database/database.js';
import { inTransaction, run } from '../database/run.js';
import { toMs } from '../database/time.js';
import { ChangeNotifier } from '../feed/change-notifier.js';
import { Prisma } from '../generated/client.js';
import type { ChangeRow } from './change-rows.js';
import { fromChangeRow } from './change-rows.js';
import type { CachedGroup } from './group-cache.js';
import { GroupCache, keyOf } from './group-cache.js';
import { loadLockedGroup, lockGroupName, lockGroupRow, readFacts, readGroupRows } from './group-loader.js';
import type { ReadRow } from './group-loader.js';
import { toGroup } from './group-rows.js';
import type { GroupRow } from './group-rows.js';
import { runBatch } from './group-batch.js';
import type { Locked, Step } from './group-batch.js';
import { clusterNotFound } from './group-writer.js';
import { lockPlan } from '../plans/plan-rows.js';
import { LeaseRenewals } from './lease-renewals.js';

/** What queues for one group: at most so many steps share a transaction, and nobody waits longer than a client does. */
const BATCH = { most: 64, maxWaitMs: 5_000 };

interface Request {
  readonly ref: GroupRef;
  readonly step: Step;
  readonly dryRun: boolean;
  readonly planId: string | undefined;
  readonly resolve: (result: StepResult<unknown>) => void;
}

/** Groups in PostgreSQL: the group's row is its lock, the ownership table its proof. */
export class PrismaGroupStore implements GroupStore {
  readonly #database: Database;
  readonly #queue = new BatchQueue<Request>((batch) => this.#run(batch), BATCH);
  readonly #groups = new GroupCache();
  readonly #catalogs = new CatalogCache();
  readonly #notifier: ChangeNotifier;
  readonly #renewals: LeaseRenewals;

  constructor(database: Database) {
    this.#database = database;
    this.#notifier = new ChangeNotifier(database);
    this.#renewals = new LeaseRenewals(database);
  }

  async transact<R>(
    ref: GroupRef,
    step: (view: GroupView) => GroupStep<R>,
    { dryRun = false, planId }: TransactOptions = {},
  ): Promise<StepResult<R>> {
    refuseUnstorable(ref);
    const result = await new Promise<StepResult<unknown>>((resolve, reject) => {
      this.#queue.push(keyOf(ref), { task: { ref, step, dryRun, planId, resolve }, reject });
    });
    return result as StepResult<R>;
  }

  /** Runs the first requests of a batch in one transaction, a dry run or a plan in one of its own; says how many. */
  async #run(batch: readonly Waiting<Request>[]): Promise<number> {
    const { ref, dryRun, planId } = batch[0]!.task;
    const end = isAlone(batch[0]!.task) ? 1 : batch.findIndex(({ task }) => isAlone(task));
    const together = end === -1 ? batch : batch.slice(0, end);
    const steps = together.map(({ task }) => task.step);
    const committed = await inTransaction(
      this.#database,
      async (tx) => {
        const locked = await this.#lock(tx, ref);
        const plan = planId === undefined ? undefined : await lockPlan(tx, planId);
        return runBatch(tx, ref, { ...locked, ...(plan !== undefined && { plan }) }, steps);
      },
      { dryRun },
    ).catch((error: unknown) => {
      // A fault of one step must not fail the others: without company it fails alone.
      const isOnes = !(error instanceof AllotError) || error.code === 'INVALID_REQUEST';
      if (!isOnes || together.length === 1) throw error;
      return undefined;
    });
    if (committed === undefined) {
      const [first] = batch;
      await this.#run([first!]).catch(first!.reject);
      return 1;
    }
    const { outcomes, now, changed } = committed;
    if (!dryRun) {
      if (now === undefined) this.#groups.delete(ref);
      else this.#groups.set(ref, now.pk, now.group);
      if (changed !== undefined) this.#notifier.notify(changed.pk, changed.revision);
    }
    for (const [i, outcome] of outcomes.entries()) {
      const { task, reject } = together[i]!;
      if ('error' in outcome) reject(outcome.error);
      else task.resolve(outcome.result);
    }
    return outcomes.length;
  }

  /** Takes the group's lock and reads what steps decide on. @throws AllotError CLUSTER_NOT_FOUND. */
  async #lock(tx: Statements, ref: GroupRef): Promise<Locked> {
    const before = await this.#lockGroup(tx, ref);
    const facts = await readFacts(tx, ref, before?.pk ?? null);
    if (facts === undefined) throw clusterNotFound(ref.cluster);
    const { catalogRevision: revision, clusterCreatedAt: createdAt } = facts;
    return { before, facts, catalog: await this.#catalogs.get(tx, ref.cluster, { revision, createdAt }) };
  }

  /** Takes the group's lock and loads it, from memory when its revision has not moved. */
  async #lockGroup(tx: Statements, ref: GroupRef): Promise<CachedGroup | undefined> {
    let row = await lockGroupRow(tx, ref);
    if (row === undefined) {
      await lockGroupName(tx, ref);
      row = await lockGroupRow(tx, ref);
    }
    if (row === undefined) return undefined;
    const cached = this.#groups.get(ref);
    if (cached?.pk === row.pk && cached.group.revision === row.revision) {
      return { pk: row.pk, group: havingLooked(cached.group, row) };
    }
    return { pk: row.pk, group: await loadLockedGroup(tx, row) };
  }

  renewLease(ref: GroupRef, memberId: string, memberEpoch: number): Promise<LeaseRenewal | undefined> {
    return this.#renewals.renew({ ref, memberId, memberEpoch });
  }

  renewLeaseAt(ref: GroupRef, memberId: string, revision: number): Promise<LeaseRenewal | undefined> {
    return this.#renewals.renew({ ref, memberId, revision });
  }

  cached(ref: GroupRef, revision?: number): Group | undefined {
    const group = this.#groups.get(ref)?.group;
    return revision === undefined || group?.revision === revision ? group : undefined;
  }

  findExpired(limit: number): Promise<readonly DueGroup[]> {
    return this.#findDue(Prisma.sql`
      SELECT g.cluster, g.group_id AS "groupId" FROM groups g JOIN (
        SELECT group_pk FROM member_leases WHERE lease_until <= statement_timestamp()
        UNION SELECT group_pk FROM group_members WHERE rebalance_deadline <= statement_timestamp()
        UNION SELECT id FROM groups WHERE timer_at <= statement_timestamp()
        UNION SELECT id FROM groups WHERE next_assignment_at <= statement_timestamp())
        due ON due.group_pk = g.id
      WHERE g.source = 'live' ORDER BY g.id LIMIT ${limit}`);
  }

  findBehindCatalog(limit: number): Promise<readonly DueGroup[]> {
    return this.#findDue(Prisma.sql`
      SELECT g.cluster, g.group_id AS "groupId"
      FROM clusters c JOIN groups g ON g.cluster = c.name AND g.catalog_revision < c.catalog_revision
      WHERE g.source = 'live' ORDER BY g.id LIMIT ${limit}`);
  }

  async #findDue(query: Prisma.Sql): Promise<readonly DueGroup[]> {
    const refs = await run(this.#database, (statements) => statements.$queryRaw<GroupRef[]>(query));
    return refs.map((ref) => ({ ref }));
  }

  async read(ref: GroupRef): Promise<GroupReading | undefined> {
    return (await this.readMany(ref.cluster, [ref.groupId])).get(ref.groupId);
  }

  readMany(cluster: string, groupIds: readonly string[]): Promise<ReadonlyMap<string, GroupReading>> {
    return run(this.#database, async (statements) => {
      const cached = new Map<string, CachedGroup>();
      for (const groupId of groupIds) {
        const entry = this.#groups.get({ cluster, groupId });
        if (entry !== undefined) cached.set(groupId, entry);
      }
      const known = [...cached.values()].map(({ pk, group }) => ({ pk, revision: group.revision }));
      const readings = new Map<string, GroupReading>();
      for (const row of await readGroupRows(statements, cluster, groupIds, known)) {
        const group = this.#groupOf(cluster, row, cached.get(row.group_id));
        const { catalogRevision: revision, clusterCreatedAt, createdAt, updatedAt, now } = row;
        const catalog = await this.#catalogs.get(statements, cluster, { revision, createdAt: clusterCreatedAt });
        readings.set(row.group_id, { group, catalog, now, leases: new Map(row.leases), createdAt, updatedAt });
      }
      return readings;
    });
  }

  /** The group of a row; from memory if the row came without its contents. */
  #groupOf(cluster: string, row: ReadRow, cached: CachedGroup | undefined): Group {
    if (row.members === null || row.ownership === null) return havingLooked(cached!.group, row);
    const group = toGroup(row, row.members, row.ownership);
    this.#groups.set({ cluster, groupId: row.group_id }, row.pk, group);
    return group;
  }

  changesSince(ref: GroupRef, revision: number, limit: number): Promise<ChangePage> {
    return run(this.#database, async (statements) => {
      const rows = await statements.$queryRaw<{ newest: number; oldest: number; changes: readonly ChangeRow[] }[]>`
        SELECT g.revision::float8 AS newest,
          (SELECT coalesce(min(revision), g.revision + 1) FROM group_changes WHERE group_pk = g.id)::float8 AS oldest,
          (SELECT coalesce(json_agg(ch ORDER BY ch.revision), '[]') FROM (
            SELECT revision, ${toMs('at')} AS at, kind, cause, actor, reason, request_id, state, group_epoch, assignment_epoch,
                   members, rebalance, plan_id, details
            FROM group_changes WHERE group_pk = g.id AND revision > ${revision}::bigint ORDER BY revision LIMIT ${limit}) ch)
            AS changes
        FROM groups g WHERE g.cluster = ${ref.cluster} AND g.group_id = ${ref.groupId}`;
      const page = rows[0];
      if (page === undefined) return { changes: [], oldest: 1, newest: 0 };
      return { ...page, changes: page.changes.map(fromChangeRow) };
    });
  }

  /** Resolves when the notifications of everything committed so far are on their way. */
  drain(): Promise<void> {
    return this.#notifier.drain();
  }
}

function isAlone({ dryRun, planId }: Request): boolean {
  return dryRun || planId !== undefined;
}

/** What another replica may have written to the group's row without a new revision. */
function havingLooked(group: Group, row: GroupRow): Group {
  const { catalog_revision: catalogRevision, next_assignment_at } = row;
  if (isClassic(group)) return group.catalogRevision === catalogRevision ? group : { ...group, catalogRevision };
  const nextAssignmentAt = next_assignment_at ?? undefined;
  if (group.catalogRevision === catalogRevision && group.nextAssignmentAt === nextAssignmentAt) return group;
  return { ...group, catalogRevision, nextAssignmentAt };
}

/** PostgreSQL's text cannot hold NUL, and a lone surrogate would be stored as another name. */
function refuseUnstorable({ groupId }: GroupRef): void {
  if (/[\0\p{Surrogate}]/u.test(groupId)) throw invalidRequest('A group id is Unicode text without NUL.');
}
