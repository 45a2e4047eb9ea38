import type { Assignment } from '@allot/model';
import { compareText, countPartitions, filterAssignment, sameAssignment } from '@allot/model';
import type { GroupDraft, MemberRow, OffsetRow, StateFact } from './group-draft.js';
import { groupName } from './group-draft.js';
import type { ImportedGroup, ImportedGroupPartition, ImportedMember, ImportWarning } from './import-result.js';
import type { LineLedger } from './line-ledger.js';

/** Puts together what the views and messages say about one group, and warns where they do not agree. */
export function finishGroup(draft: GroupDraft, ledger: LineLedger): ImportedGroup {
  const name = groupName(draft.groupId);
  const subject = draft.groupId === undefined ? {} : { groupId: draft.groupId };
  let unstable = false;
  const warn = (warning: Omit<ImportWarning, 'groupId'>): void => {
    if (warning.code === 'views-disagree' || warning.code === 'partition-owned-twice') unstable = true;
    ledger.warn({ ...warning, ...subject });
  };
  if (draft.groupId === undefined) {
    const message =
      'This table does not say which group it is about (Kafka up to 2.2 prints no GROUP column). Paste the command line above it too, or name the group.';
    warn({ code: 'group-id-missing', message, lineNumbers: [draft.index + 1] });
  }
  const state = mergeStates(draft, name, warn);
  const contested = new Map<string, OwnershipClaim[]>();
  const rows = finishPartitions(draft, name, warn);
  const members = finishMembers(draft, name, warn, contested);
  const partitions = rows.map((row) => withoutContestedOwner(row, contested));
  checkMemberCount(draft, state, members.length, name, warn);
  const betweenAssignments = members.some(
    (m) => m.targetAssignment && m.assignment && !sameAssignment(m.assignment, m.targetAssignment),
  );
  return {
    groupId: draft.groupId,
    state: state?.state ?? 'unknown',
    kafkaState: state?.kafkaState,
    unstable: unstable || state?.state === 'rebalancing' || betweenAssignments,
    coordinator: state?.coordinator,
    assignor: state?.assignor,
    groupEpoch: state?.groupEpoch,
    assignmentEpoch: state?.assignmentEpoch,
    declaredMemberCount: state?.memberCount,
    members,
    partitions,
  };
}

type Warn = (warning: Omit<ImportWarning, 'groupId'>) => void;

/** A member that some line names as owner of a partition. */
interface OwnershipClaim {
  readonly memberId: string;
  readonly index: number;
}

function mergeStates(draft: GroupDraft, name: string, warn: Warn): StateFact | undefined {
  const [first, ...others] = draft.states;
  if (first === undefined) return undefined;
  const different = others.find((fact) => fact.state !== first.state);
  if (different !== undefined) {
    const lineNumbers = [first.index + 1, different.index + 1];
    const message = `${name} is reported as ${first.state} and as ${different.state} (lines ${lineNumbers.join(' and ')}); the first was kept.`;
    warn({ code: 'views-disagree', message, lineNumbers });
  }
  // The state view knows more than a message; both may be there.
  const merged = { ...first };
  for (const fact of others.filter(({ state }) => state === first.state)) {
    for (const [key, value] of Object.entries(fact)) {
      const field = key as keyof StateFact;
      if (merged[field] === undefined) Object.assign(merged, { [field]: value as unknown });
    }
  }
  const lineNumbers = [first.index + 1];
  if (merged.state === 'rebalancing') {
    const message = `${name} was rebalancing: this may be a state between two assignments. Describe it again when it is stable.`;
    warn({ code: 'group-unstable', message, lineNumbers });
  }
  if (merged.state === 'dead') warn({ code: 'group-does-not-exist', message: `${name} does not exist.`, lineNumbers });
  if (merged.state === 'empty') {
    const owned = [...draft.owners.values(), ...draft.members.values()][0];
    if (owned !== undefined) {
      const message = `${name} has no active members by line ${first.index + 1}, but line ${owned.index + 1} lists one.`;
      warn({ code: 'views-disagree', message, lineNumbers: [first.index + 1, owned.index + 1] });
    }
  }
  return merged;
}

function finishPartitions(draft: GroupDraft, name: string, warn: Warn): ImportedGroupPartition[] {
  const finished: ImportedGroupPartition[] = [];
  const lagUnknown: OffsetRow[] = [];
  const lagNegative: OffsetRow[] = [];
  for (const [topic, partitions] of draft.partitions) {
    for (const { row } of partitions.values()) {
      if (row.lag === undefined) lagUnknown.push(row);
      else if (row.lag < 0) lagNegative.push(row);
      finished.push({
        topic,
        partition: row.partition,
        leaderEpoch: row.leaderEpoch,
        currentOffset: row.currentOffset,
        logEndOffset: row.logEndOffset,
        lag: row.lag,
        memberId: row.memberId,
        contestedBy: [],
        lineNumber: row.index + 1,
      });
    }
  }
  warnAboutLag(
    name,
    'lag-unknown',
    'an unknown lag (nothing committed, or no leader); it is not taken as 0',
    lagUnknown,
    warn,
  );
  warnAboutLag(
    name,
    'negative-lag',
    'a negative lag: the committed offset is past the end of the log',
    lagNegative,
    warn,
  );
  return finished.sort((a, b) => compareText(a.topic, b.topic) || a.partition - b.partition);
}

function withoutContestedOwner(
  row: ImportedGroupPartition,
  contested: ReadonlyMap<string, readonly OwnershipClaim[]>,
): ImportedGroupPartition {
  const claims = contested.get(`${row.partition}-${row.topic}`);
  if (claims === undefined) return row;
  return { ...row, memberId: undefined, contestedBy: claims.map(({ memberId }) => memberId) };
}

function warnAboutLag(
  name: string,
  code: 'lag-unknown' | 'negative-lag',
  what: string,
  rows: readonly OffsetRow[],
  warn: Warn,
) {
  if (rows.length === 0) return;
  const message = `${name}: ${rows.length} partition(s) with ${what}.`;
  warn({ code, message, lineNumbers: rows.map(({ index }) => index + 1) });
}

function finishMembers(
  draft: GroupDraft,
  name: string,
  warn: Warn,
  contested: Map<string, OwnershipClaim[]>,
): ImportedMember[] {
  const fromOffsets = draft.hasOffsetsView ? ownedByOffsets(draft) : undefined;
  const ids = new Set([...draft.members.keys(), ...draft.owners.keys()]);
  const members = [...ids].map((memberId) => {
    const row = draft.members.get(memberId);
    const owner = draft.owners.get(memberId);
    const owned = fromOffsets && (fromOffsets.get(memberId) ?? new Map<string, number[]>());
    if (row !== undefined) checkMember(row, owned, name, warn);
    const idle = row?.declaredPartitionCount === 0 ? new Map<string, number[]>() : undefined;
    return {
      memberId,
      clientId: row?.clientId ?? owner?.clientId,
      host: row?.host ?? owner?.host,
      instanceId: row?.instanceId,
      currentEpoch: row?.currentEpoch,
      targetEpoch: row?.targetEpoch,
      upgraded: row?.upgraded,
      declaredPartitionCount: row?.declaredPartitionCount,
      assignment: row?.assignment ?? owned ?? idle,
      targetAssignment: row?.targetAssignment,
      lineNumber: (row?.index ?? owner!.index) + 1,
    };
  });
  collectSharedRows(draft, contested);
  collectSharedAssignments(members, contested);
  warnAboutSharedPartitions(contested, name, warn);
  if (contested.size === 0) return members;
  return members.map((member) => {
    const { assignment } = member;
    const isOwn = (topic: string, partition: number) => !contested.has(`${partition}-${topic}`);
    return { ...member, assignment: assignment && filterAssignment(assignment, isOwn) };
  });
}

function ownedByOffsets(draft: GroupDraft): Map<string, Map<string, number[]>> {
  const owned = new Map<string, Map<string, number[]>>();
  for (const [topic, partitions] of draft.partitions) {
    for (const { row, otherOwners } of partitions.values()) {
      for (const { memberId, partition } of [row, ...otherOwners]) {
        if (memberId === undefined) continue;
        let lists = owned.get(memberId);
        if (lists === undefined) owned.set(memberId, (lists = new Map()));
        const list = lists.get(topic);
        if (list === undefined) lists.set(topic, [partition]);
        else list.push(partition);
      }
    }
  }
  for (const lists of owned.values()) for (const list of lists.values()) list.sort((a, b) => a - b);
  return owned;
}

function checkMember(row: MemberRow, owned: Assignment | undefined, name: string, warn: Warn): void {
  const { memberId, assignment, declaredPartitionCount: declared, index } = row;
  const subject = { memberId, lineNumbers: [index + 1] };
  const known = assignment ?? owned;
  if (row.topicNamesMissing && owned === undefined) {
    const message =
      `${name}, member ${memberId}: topic names are not present in this tool version (Kafka 3.8 and 3.9), so its partitions ` +
      'are unknown. Use the offsets view: --describe without --members.';
    warn({ code: 'topic-names-missing', message, ...subject });
  }
  const listed = known === undefined ? undefined : countPartitions(known);
  if (declared !== undefined && listed !== undefined && declared !== listed) {
    const where = assignment === undefined ? ' in the offsets view' : '';
    const message = `${name}, member ${memberId}: declared ${declared}, listed ${listed}${where}.`;
    warn({ code: 'declared-count-mismatch', message, ...subject });
  }
  if (assignment !== undefined && owned !== undefined && !sameAssignment(assignment, owned)) {
    const message = `${name}, member ${memberId}: the members view and the offsets view list different partitions; the members view was kept.`;
    warn({ code: 'views-disagree', message, ...subject });
  }
}

/** Partitions that the offsets view lists under more than one member. */
function collectSharedRows(draft: GroupDraft, contested: Map<string, OwnershipClaim[]>): void {
  for (const [topic, partitions] of draft.partitions) {
    for (const { row, otherOwners } of partitions.values()) {
      if (otherOwners.length === 0) continue;
      const claims = [row, ...otherOwners].map(({ memberId, index }) => ({ memberId: memberId!, index }));
      contested.set(`${row.partition}-${topic}`, claims);
    }
  }
}

/** Partitions that two members' assignments both contain. */
function collectSharedAssignments(members: readonly ImportedMember[], contested: Map<string, OwnershipClaim[]>): void {
  const first = new Map<string, OwnershipClaim>();
  for (const { memberId, assignment, lineNumber } of members) {
    for (const [topic, partitions] of assignment ?? []) {
      for (const partition of partitions) {
        const key = `${partition}-${topic}`;
        const claim = { memberId, index: lineNumber - 1 };
        const earlier = first.get(key);
        if (earlier === undefined) first.set(key, claim);
        else {
          const claims = contested.get(key) ?? [earlier];
          if (!claims.some((other) => other.memberId === memberId)) claims.push(claim);
          contested.set(key, claims);
        }
      }
    }
  }
}

function warnAboutSharedPartitions(contested: Map<string, OwnershipClaim[]>, name: string, warn: Warn): void {
  for (const [key, claims] of contested) {
    const dash = key.indexOf('-');
    const [partition, topic] = [Number(key.slice(0, dash)), key.slice(dash + 1)];
    const owners = claims.map(({ memberId, index }) => `${memberId} (line ${index + 1})`).join(' and ');
    const message = `${name}: ${topic}-${partition} is listed under ${owners}. It is kept without an owner.`;
    warn({
      code: 'partition-owned-twice',
      message,
      lineNumbers: claims.map(({ index }) => index + 1),
      topic,
      partition,
    });
  }
}

function checkMemberCount(
  draft: GroupDraft,
  state: StateFact | undefined,
  listed: number,
  name: string,
  warn: Warn,
): void {
  const declared = state?.memberCount;
  // The offsets view alone lists fewer members if some own nothing; only more of them contradict the count.
  if (declared === undefined || !(draft.hasMembersView ? listed !== declared : listed > declared)) return;
  const message = `${name}: declared ${declared} member(s), listed ${listed}.`;
  warn({ code: 'declared-count-mismatch', message, lineNumbers: [state!.index + 1] });
}
