import { AllotError, invalidRequest, type Assignment, type GroupAssignment } from '@allot/model';
import type { StepContext } from '../consumer/step.js';
import { ClassicDraft, refuse, type ClassicStep } from './classic-draft.js';
import type { ClassicGroup, ClassicMember } from './classic-group.js';
import { computeAssignment } from './compute-assignment.js';
import { rebalanceInProgress } from './errors.js';
import { checkGeneration, instanceConflict, knownMember, type MemberRef } from './membership.js';
import { outcomeOfSync } from './parked.js';
import { publish } from './publish.js';
import { checkSuppliedAssignment } from './supplied-assignment.js';

/** What a leader has for one member. */
export interface SuppliedAssignment {
  readonly partitions: Assignment;
  /** Opaque, base64. */
  readonly userData?: string;
}

export interface SyncCommand extends MemberRef {
  readonly generation: number;
  /** The assignor that the member believes to have been elected; absent: whichever it was. */
  readonly protocol?: string;
  /** The leader's: what each member gets. Members that it leaves out get nothing. */
  readonly assignments?: ReadonlyMap<string, SuppliedAssignment>;
  /** The leader's: who assigns this generation, if not as the group's settings say. */
  readonly assignedBy?: 'leader' | 'service';
}

/**
 * A member of a generation asks for its assignment, and the leader brings it, or has it computed here
 * (GroupMetadataManager.classicGroupSyncToClassicGroup). What is wrong with the leader's assignment is refused and leaves the
 * generation waiting.
 *
 * @throws AllotError COORDINATOR_NOT_AVAILABLE, UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION, INCONSISTENT_GROUP_PROTOCOL, REBALANCE_IN_PROGRESS,
 * INVALID_GROUP_ASSIGNMENT, INVALID_REQUEST; the others are outcomes.
 */
export function sync(group: ClassicGroup, command: SyncCommand, context: StepContext): ClassicStep {
  const conflict = instanceConflict(group, command, context);
  if (conflict !== undefined) return conflict;
  const draft = new ClassicDraft(group, group, context);
  const member = knownMember(group, command);
  checkGeneration(group, command.generation);
  checkProtocol(group, command);
  draft.lookAtCatalog();
  draft.renew(member.memberId);
  const { phase, leader } = draft.group;
  if (phase === 'PREPARING_REBALANCE')
    return { transition: draft.finish(), outcome: refuse(rebalanceInProgress(group.revision)) };
  const leads = leader === member.memberId;
  if (!leads && command.assignments !== undefined && command.assignments.size > 0) throw notLeader(leader);
  if (phase === 'COMPLETING_REBALANCE' && leads) {
    const fault = assign(draft, command);
    if (fault !== undefined) {
      draft.because('assignment-computed');
      if (draft.group.assignorFault !== fault.message) draft.set({ assignorFault: fault.message });
      return { transition: draft.finish(), outcome: refuse(fault) };
    }
  }
  markSynced(draft, member.memberId);
  return { transition: draft.finish(), outcome: outcomeOfSync(draft.group, command) };
}

/** Gives the generation its assignment; the reason when the service could not compute one. */
function assign(draft: ClassicDraft, command: SyncCommand): AllotError | undefined {
  const { group, context } = draft;
  const { assignments } = command;
  const assignedBy = command.assignedBy ?? group.settings.assignedBy ?? 'leader';
  if (assignedBy === 'service') {
    if (assignments !== undefined) {
      throw invalidRequest('The service assigns this generation; leave `assignments` out.', [
        { pointer: '/assignments', detail: 'cannot be there when the service assigns' },
      ]);
    }
    const target = computeAssignment(group, context);
    if (target instanceof AllotError) return target;
    publish(draft, target, 'assignment-computed');
    return undefined;
  }
  if (assignments === undefined) {
    throw invalidRequest('The member leads this generation: send `assignments`, or `"assignedBy": "service"`.', [
      { pointer: '/assignments', detail: 'is missing' },
    ]);
  }
  checkSuppliedAssignment(group, assignments, context.catalog);
  const target: GroupAssignment = new Map([...assignments].map(([memberId, { partitions }]) => [memberId, partitions]));
  const userData = new Map([...assignments].map(([memberId, supplied]) => [memberId, supplied.userData]));
  publish(draft, target, 'assignment-supplied', userData);
  return undefined;
}

/** When all have asked, nobody is waited for any more. */
function markSynced(draft: ClassicDraft, memberId: string): void {
  const member = draft.group.members.get(memberId)!;
  if (member.state === 'JOINED') draft.setMember({ ...member, state: 'SYNCED' });
  const { members, timer, groupEpoch, phase } = draft.group;
  if (phase !== 'STABLE' || timer?.kind !== 'sync') return;
  for (const each of members.values()) if (isUnsynced(each, groupEpoch)) return;
  draft.set({ timer: undefined });
}

function isUnsynced({ state, memberEpoch }: ClassicMember, generation: number): boolean {
  return state === 'JOINED' && memberEpoch === generation;
}

function checkProtocol({ protocol }: ClassicGroup, { protocol: believed }: SyncCommand): void {
  if (believed === undefined || believed === protocol) return;
  throw new AllotError(
    'INCONSISTENT_GROUP_PROTOCOL',
    `The members have agreed on ${protocol ?? 'no assignor'}, not on ${believed}. Join again.`,
    { action: 'rejoin', facts: { protocol } },
  );
}

function notLeader(leader: string | undefined): AllotError {
  return invalidRequest(`Only the leader, ${leader}, brings assignments; leave them out.`, [
    { pointer: '/assignments', detail: 'must be absent or empty for a member that does not lead' },
  ]);
}
