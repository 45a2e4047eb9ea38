import type {
  Catalog,
  Group,
  GroupChange,
  GroupMember,
  GroupRef,
  GroupStep,
  GroupView,
  StepResult,
  StoredPlan,
} from '@allot/coordinator';
import type { Statements } from '../database/database.js';
import { markApplied } from '../plans/plan-rows.js';
import type { CachedGroup } from './group-cache.js';
import type { LockedFacts } from './group-loader.js';
import { deleteGroup, markLooked, renewLeases, writeGroup } from './group-writer.js';

export type Step = (view: GroupView) => GroupStep<unknown>;

/** What became of one step of a batch. */
export type Outcome = { readonly error: unknown } | { readonly result: StepResult<unknown> };

/** What a transaction committed, for the callers, the cache and the notification. */
export interface Committed {
  /** Of the first steps of the batch; those after them were not run. */
  readonly outcomes: readonly Outcome[];
  /** Undefined when there is no group. */
  readonly now: CachedGroup | undefined;
  /** The group's key and revision when they changed; revision 0 for a deleted group. */
  readonly changed?: { readonly pk: bigint; readonly revision: number };
}

/** What is read under the group's lock, before the steps. */
export interface Locked {
  readonly before: CachedGroup | undefined;
  readonly facts: LockedFacts;
  readonly catalog: Catalog;
  /** The plan that the only step of the batch asked for. */
  readonly plan?: StoredPlan;
}

interface Done {
  readonly step: GroupStep<unknown>;
  /** The group after this step. */
  readonly group: Group | undefined;
}

/**
 * Runs steps one after the other on a locked group and writes what they come to: the state once, each revision's change. A step
 * that throws changes nothing and keeps nobody else from theirs. Deleting a group is a batch of its own, so that whatever comes
 * after it sees a group that is gone.
 */
export async function runBatch(
  tx: Statements,
  ref: GroupRef,
  { before, facts, catalog, plan }: Locked,
  steps: readonly Step[],
): Promise<Committed> {
  const lastRevision = facts.lastRevision ?? 0;
  const expired = new Set(facts.expired ?? []);
  const done: (Done | { readonly error: unknown })[] = [];
  const changes: GroupChange[] = [];
  let group = before?.group;
  for (const run of steps) {
    try {
      const step = run({ group, lastRevision, catalog, now: facts.now, expired, ...(plan !== undefined && { plan }) });
      if (step.group === null) {
        if (done.length > 0) break;
        return await remove(tx, before, step.reply, facts.now);
      }
      check(step, group, lastRevision);
      if (step.group !== undefined && step.change !== undefined) changes.push(step.change);
      group = step.group;
      if (step.appliesPlan === true) await markApplied(tx, plan!.id, step.change!);
      done.push({ step, group });
      // Who was heard in this batch is not expired for the steps after it.
      for (const memberId of step.renewed ?? []) expired.delete(memberId);
    } catch (error) {
      done.push({ error });
    }
  }
  if (group === undefined) return { outcomes: done.map((one) => toOutcome(one, new Map(), facts.now)), now: undefined };
  return write(tx, ref, { before, group, changes, done, now: facts.now });
}

async function remove(
  tx: Statements,
  before: CachedGroup | undefined,
  reply: unknown,
  now: number,
): Promise<Committed> {
  const outcomes = [{ result: { reply, group: undefined, leases: new Map<string, number>(), now } }];
  if (before === undefined) return { outcomes, now: undefined };
  await deleteGroup(tx, before.pk);
  return { outcomes, now: undefined, changed: { pk: before.pk, revision: 0 } };
}

interface Wanted {
  readonly before: CachedGroup | undefined;
  readonly group: Group;
  readonly changes: readonly GroupChange[];
  readonly done: readonly (Done | { readonly error: unknown })[];
  readonly now: number;
}

/** Members that a live group takes in need a lease, or they would never expire. */
async function write(tx: Statements, ref: GroupRef, { before, group, changes, done, now }: Wanted): Promise<Committed> {
  const renewed = new Set(done.flatMap((one) => ('step' in one ? (one.step.renewed ?? []) : [])));
  let pk: bigint;
  if (before !== undefined && changes.length === 0) {
    pk = before.pk;
    if (group !== before.group) await markLooked(tx, pk, group);
  } else {
    const written = await writeGroup(tx, ref, before, group, changes);
    pk = written.pk;
    if (group.source === 'live') for (const memberId of written.addedMembers) renewed.add(memberId);
  }
  const alive = [...renewed].filter((memberId) => group.members.has(memberId));
  const leases = await renewLeases(tx, pk, alive, sessionsOf(group));
  const outcomes = done.map((one) => toOutcome(one, leases, now));
  const current = { pk, group };
  if (changes.length === 0) return { outcomes, now: current };
  return { outcomes, now: current, changed: { pk, revision: group.revision } };
}

function sessionsOf({ settings, members }: Group): (memberId: string) => number {
  return (memberId) => {
    const member: GroupMember | undefined = members.get(memberId);
    return member?.sessionTimeoutMs ?? settings.sessionTimeoutMs;
  };
}

function toOutcome(one: Done | { readonly error: unknown }, leases: ReadonlyMap<string, number>, now: number): Outcome {
  if ('error' in one) return one;
  const { step, group } = one;
  // A member that a later step of the batch removed has no lease to tell of: its time is over.
  const renewed = new Map((step.renewed ?? []).map((memberId) => [memberId, leases.get(memberId) ?? now]));
  return { result: { reply: step.reply, group, leases: renewed, now } };
}

/** @throws Error when a step breaks the contract of the store. */
function check({ group, change }: GroupStep<unknown>, before: Group | undefined, lastRevision: number): void {
  if (group === undefined || group === null) {
    if (before !== undefined) throw new Error('A step must return the group, or null to delete it.');
    return;
  }
  if (group.revision === before?.revision) {
    if (change !== undefined) throw new Error(`A change must come with a new revision, not ${group.revision} again.`);
    return;
  }
  const base = before?.revision ?? lastRevision;
  const follows = before === undefined ? group.revision > base : group.revision === base + 1;
  if (change?.revision === group.revision && follows) return;
  throw new Error(`A changed group must come with its change and the revision after ${base}, not ${group.revision}.`);
}
