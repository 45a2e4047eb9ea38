import { sameAssignment } from '@allot/model';
import { targetChange } from '../consumer/change.js';
import { withoutEpochs } from '../consumer/owned-partitions.js';
import type { ChangeCause, ChangeKind, GroupChange, MemberChange, Origin, RebalanceMark } from '../history.js';
import type { ClassicGroup, ClassicMember } from './classic-group.js';

/** What one revision changed; `before` is undefined for a new group. */
export function describeClassicChange(
  before: ClassicGroup | undefined,
  after: ClassicGroup,
  facts: { readonly cause: ChangeCause; readonly origin: Origin; readonly now: number },
): GroupChange {
  const members: MemberChange[] = [];
  for (const [memberId, member] of after.members) {
    const old = before?.members.get(memberId);
    if (old !== member) members.push(describeMember(old, member));
  }
  for (const memberId of before?.members.keys() ?? []) {
    if (!after.members.has(memberId)) members.push({ memberId, removed: true });
  }
  const rebalance = markOf(before, after);
  return {
    revision: after.revision,
    at: facts.now,
    kind: kindOf(rebalance, members),
    cause: facts.cause,
    origin: facts.origin,
    state: after.phase,
    groupEpoch: after.groupEpoch,
    assignmentEpoch: after.assignmentEpoch,
    members,
    ...(rebalance !== undefined && { rebalance }),
  };
}

function describeMember(old: ClassicMember | undefined, member: ClassicMember): MemberChange {
  const isNew = old === undefined;
  const { memberId, instanceId, memberEpoch, state, assigned, pendingRevocation, target, conflictsWith } = member;
  return {
    memberId,
    ...(isNew && { added: true as const }),
    ...(isNew && instanceId !== undefined && { instanceId }),
    ...((isNew || old.memberEpoch !== memberEpoch) && { memberEpoch }),
    ...((isNew || old.state !== state) && { state }),
    ...((isNew || old.assigned !== assigned) && { current: withoutEpochs(assigned) }),
    ...((isNew || old.pendingRevocation !== pendingRevocation) && { revoking: withoutEpochs(pendingRevocation) }),
    ...((isNew || !sameAssignment(old.target, target)) && { target }),
    ...(conflictsWith !== undefined && old?.conflictsWith !== conflictsWith && { conflictsWith }),
  };
}

function kindOf(mark: RebalanceMark | undefined, members: readonly MemberChange[]): ChangeKind {
  if (mark?.ends) return 'rebalance.completed';
  if (mark?.begins) return 'rebalance.started';
  const moved = members.some(({ current, revoking, target }) => (current ?? revoking ?? target) !== undefined);
  if (moved) return 'assignment';
  return members.length > 0 ? 'member' : 'group';
}

/** A rebalance goes from the join phase to the leader's assignment, or to a group that is empty. */
function markOf(before: ClassicGroup | undefined, after: ClassicGroup): RebalanceMark | undefined {
  const was = before?.phase ?? 'EMPTY';
  const isNewGeneration = after.groupEpoch > (before?.groupEpoch ?? 0);
  const began = was !== 'PREPARING_REBALANCE' && (after.phase === 'PREPARING_REBALANCE' || isNewGeneration);
  const ended = isSettled(after) && (!isSettledPhase(was) || isNewGeneration);
  const isNewTarget = after.phase === 'STABLE' && after.assignmentEpoch > (before?.assignmentEpoch ?? 0);
  if (!began && !ended && !isNewTarget) return undefined;
  return {
    ...(began && { begins: true as const }),
    ...(ended && { ends: true as const }),
    ...(isNewTarget && { target: targetChange(before, after) }),
  };
}

function isSettled({ phase }: ClassicGroup): boolean {
  return isSettledPhase(phase);
}

function isSettledPhase(phase: ClassicGroup['phase']): boolean {
  return phase === 'STABLE' || phase === 'EMPTY' || phase === 'DEAD';
}
