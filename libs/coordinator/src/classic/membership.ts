import type { StepContext } from '../consumer/step.js';
import { emptyGroup } from '../empty-group.js';
import type { GroupSettings } from '../group-settings.js';
import { ClassicDraft, refuse, type ClassicStep } from './classic-draft.js';
import type { ClassicGroup, ClassicMember } from './classic-group.js';
import {
  coordinatorNotAvailable,
  fencedInstance,
  illegalGeneration,
  unknownInstance,
  unknownMember,
} from './errors.js';

/** Names a member in a request. */
export interface MemberRef {
  readonly memberId: string;
  readonly instanceId?: string;
}

/** A classic group without members; see `emptyGroup`. */
export function newClassicGroup(settings: GroupSettings, catalogRevision: number, lastRevision = 0): ClassicGroup {
  return { ...emptyGroup(settings, catalogRevision, lastRevision), phase: 'EMPTY', pending: [] };
}

export function memberByInstance({ members }: ClassicGroup, instanceId: string): ClassicMember | undefined {
  for (const member of members.values()) if (member.instanceId === instanceId) return member;
  return undefined;
}

/** @throws AllotError COORDINATOR_NOT_AVAILABLE */
export function refuseDead({ phase }: ClassicGroup): void {
  if (phase === 'DEAD') throw coordinatorNotAvailable();
}

/**
 * The member that a request speaks of, checked in Kafka's order: is the group there, does the instance id belong to this member, is the
 * member known (ClassicGroup.validateMember).
 * @throws AllotError COORDINATOR_NOT_AVAILABLE, FENCED_INSTANCE_ID, UNKNOWN_MEMBER_ID
 */
export function knownMember(group: ClassicGroup, { memberId, instanceId }: MemberRef): ClassicMember {
  refuseDead(group);
  if (instanceId !== undefined) {
    const holder = memberByInstance(group, instanceId);
    if (holder === undefined) throw unknownInstance(instanceId);
    if (holder.memberId !== memberId) throw fencedInstance(instanceId, holder.memberId, group.settings);
  }
  const member = group.members.get(memberId);
  if (member === undefined) throw unknownMember(memberId);
  return member;
}

/** @throws AllotError ILLEGAL_GENERATION */
export function checkGeneration({ groupEpoch }: ClassicGroup, generation: number): void {
  if (generation !== groupEpoch) throw illegalGeneration(generation, groupEpoch);
}

/**
 * A request of a member that lost its instance id to another: two live processes have one instance id (E-14). It is refused, and
 * the group's history tells of both, once. Undefined when it is not one.
 */
export function instanceConflict(
  group: ClassicGroup,
  { memberId, instanceId }: MemberRef,
  context: StepContext,
): ClassicStep | undefined {
  if (instanceId === undefined || group.phase === 'DEAD') return undefined;
  const holder = memberByInstance(group, instanceId);
  if (holder === undefined || holder.memberId === memberId) return undefined;
  const draft = new ClassicDraft(group, group, context);
  if (holder.conflictsWith !== memberId) {
    draft.because('instance-conflict');
    draft.setMember({ ...holder, conflictsWith: memberId });
  }
  return { transition: draft.finish(), outcome: refuse(fencedInstance(instanceId, holder.memberId, group.settings)) };
}
