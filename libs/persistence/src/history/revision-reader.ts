import { foldMembers, type GroupChange, type GroupRevision, type RevisionMember } from '@allot/coordinator';
import { AllotError } from '@allot/model';
import type { Statements } from '../database/database.js';
import { toMs } from '../database/time.js';
import { fromChangeRow, type ChangeRow } from '../groups/change-rows.js';

/** So many changes are in memory at a time. */
const CHANGES_A_READ = 50;

export interface GroupFacts {
  readonly pk: bigint;
  readonly revision: number;
  /** The smallest revision that can be told; one more than the group's when none can. */
  readonly oldest: number;
}

interface Snapshot {
  readonly revision: number;
  readonly members: Map<string, RevisionMember>;
}

/** The newest snapshot of at most this revision; a group that has none began without members, before its oldest change. */
export async function readSnapshot(
  statements: Statements,
  { pk, oldest }: GroupFacts,
  atMost: number,
): Promise<Snapshot | undefined> {
  const rows = await statements.$queryRaw<{ revision: number; members: ChangeRow['members'] | null }[]>`
    SELECT revision::float8 AS revision, CASE WHEN revision <= ${atMost}::bigint THEN members END AS members
    FROM group_snapshots WHERE group_pk = ${pk} ORDER BY revision <= ${atMost}::bigint DESC, revision DESC LIMIT 1`;
  const [row] = rows;
  if (row === undefined) return { revision: oldest - 1, members: new Map() };
  if (row.members === null) return undefined;
  const members = new Map<string, RevisionMember>();
  foldMembers(members, [snapshotAsChange(row.revision, row.members)]);
  return { revision: row.revision, members };
}

/**
 * Goes through the changes from a snapshot on up to the last of `wanted`, ascending revisions, and calls `at` with the members as of each.
 * @throws AllotError REVISION_COMPACTED when changes in between are gone.
 */
export async function replay(
  statements: Statements,
  facts: GroupFacts,
  { revision: base, members }: Snapshot,
  wanted: readonly number[],
  at: (revision: number, change: GroupChange, members: ReadonlyMap<string, RevisionMember>) => void,
): Promise<void> {
  const last = wanted.at(-1)!;
  const stops = new Set(wanted);
  // Of the snapshot's own revision only who made it is still to be told.
  let reached = stops.has(base) ? base - 1 : base;
  while (reached < last) {
    const rows = await statements.$queryRaw<ChangeRow[]>`
      SELECT revision::float8 AS revision, ${toMs('at')} AS at, kind, cause, actor, reason, request_id, state, group_epoch,
             assignment_epoch, members, rebalance, plan_id::text AS plan_id, details
      FROM group_changes WHERE group_pk = ${facts.pk} AND revision > ${reached}::bigint AND revision <= ${last}::bigint
      ORDER BY revision LIMIT ${CHANGES_A_READ}`;
    for (const row of rows) {
      if (row.revision !== reached + 1) throw compacted(facts.oldest);
      const change = fromChangeRow(row);
      if (row.revision > base) foldMembers(members, [change]);
      reached = row.revision;
      if (stops.has(reached)) at(reached, change, new Map(members));
    }
    if (rows.length === 0) throw compacted(facts.oldest);
  }
}

/** @throws AllotError REVISION_NOT_FOUND, REVISION_COMPACTED. */
export function checkKept({ revision: newest, oldest }: GroupFacts, wanted: readonly number[]): void {
  for (const revision of wanted) {
    if (revision > newest) {
      throw new AllotError('REVISION_NOT_FOUND', `The group is at revision ${newest}; there is no ${revision} yet.`, {
        action: 'fix-request',
        facts: { newest },
      });
    }
    if (revision < oldest) throw compacted(oldest);
  }
}

export function compacted(oldest: number): AllotError {
  return new AllotError('REVISION_COMPACTED', `The history of the group starts at revision ${oldest}.`, {
    action: 'refresh',
    facts: { oldest },
  });
}

export function toRevision(change: GroupChange, members: ReadonlyMap<string, RevisionMember>): GroupRevision {
  const { members: _changed, ...rest } = change;
  return { change: rest, members };
}

function snapshotAsChange(revision: number, members: ChangeRow['members']): GroupChange {
  return fromChangeRow({
    ...{ revision, at: 0, kind: 'group', cause: 'group-created', actor: '', reason: null, request_id: null },
    ...{ state: 'EMPTY', group_epoch: 0, assignment_epoch: 0, members, rebalance: null, plan_id: null },
  });
}
