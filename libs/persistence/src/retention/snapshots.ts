import { AllotError, assignmentToJson } from '@allot/model';
import type { RevisionMember } from '@allot/coordinator';
import type { Statements } from '../database/database.js';
import { readSnapshot, replay, type GroupFacts } from '../history/revision-reader.js';

/** Old changes are cut off so many at a time, since each cut costs a snapshot. */
const CHANGES_A_CUT = 50;

/**
 * Groups whose newest snapshot is at least `every` revisions old, or after which there are changes enough that are too old and not among the
 * `least` newest. Groups without a snapshot count from their oldest change.
 */
export async function findDueForSnapshot(
  statements: Statements,
  { every, least, maxAgeMs }: { readonly every: number; readonly least: number; readonly maxAgeMs: number },
  limit: number,
): Promise<readonly GroupFacts[]> {
  const cut = Math.min(every, CHANGES_A_CUT);
  return statements.$queryRaw<GroupFacts[]>`
    SELECT pk, revision::float8 AS revision, oldest::float8 AS oldest FROM (
      SELECT g.id AS pk, g.revision, kept.oldest, coalesce(
        (SELECT max(s.revision) FROM group_snapshots s WHERE s.group_pk = g.id), kept.oldest - 1) AS newest
      FROM groups g CROSS JOIN LATERAL (SELECT min(revision) AS oldest FROM group_changes WHERE group_pk = g.id) kept
      WHERE kept.oldest IS NOT NULL) due
    WHERE revision - newest >= ${every}::bigint OR (revision - ${least}::bigint - newest >= ${cut}::bigint AND EXISTS (
      SELECT 1 FROM group_changes ch WHERE ch.group_pk = due.pk AND ch.revision = due.newest + ${cut}::bigint
        AND ch.at < statement_timestamp() - ${maxAgeMs}::float8 * interval '1 millisecond'))
    ORDER BY pk LIMIT ${limit}`;
}

/**
 * Writes a snapshot every `every` revisions since the last one, or where the `least` newest changes begin. It is told from the changes, as a
 * reader would tell it, so that a snapshot and what follows from it cannot differ. Two replicas that do this at once write the same. False: changes
 * that are needed are gone, as a release without snapshots may have removed them.
 */
export async function takeSnapshots(
  statements: Statements,
  facts: GroupFacts,
  { every, least }: { readonly every: number; readonly least: number },
): Promise<boolean> {
  const base = await readSnapshot(statements, facts, facts.revision);
  if (base === undefined) return false;
  if (base.revision === facts.oldest - 1) await insert(statements, facts.pk, base.revision, base.members);
  const wanted: number[] = [];
  for (let revision = base.revision + every; revision <= facts.revision; revision += every) wanted.push(revision);
  if (wanted.length === 0) wanted.push(facts.revision - least);
  const taken: Promise<void>[] = [];
  try {
    await replay(statements, facts, base, wanted, (revision, _change, members) => {
      taken.push(insert(statements, facts.pk, revision, members));
    });
  } catch (error) {
    if (!(error instanceof AllotError) || error.code !== 'REVISION_COMPACTED') throw error;
    return false;
  } finally {
    await Promise.all(taken);
  }
  return true;
}

async function insert(
  statements: Statements,
  pk: bigint,
  revision: number,
  members: ReadonlyMap<string, RevisionMember>,
): Promise<void> {
  const json = [...members.values()].map(({ current, revoking, target, ...member }) => ({
    ...member,
    added: true,
    current: assignmentToJson(current),
    revoking: assignmentToJson(revoking),
    target: assignmentToJson(target),
  }));
  // The group may be gone by now, and its snapshot with it.
  await statements.$executeRaw`
    INSERT INTO group_snapshots (group_pk, revision, members)
    SELECT g.id, ${revision}::bigint, ${JSON.stringify(json)}::jsonb FROM groups g WHERE g.id = ${pk} FOR KEY SHARE
    ON CONFLICT (group_pk, revision) DO NOTHING`;
}
