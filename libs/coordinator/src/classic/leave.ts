import { AllotError } from '@allot/model';
import type { StepContext } from '../consumer/step.js';
import { ClassicDraft, type ClassicTransition } from './classic-draft.js';
import type { ClassicGroup } from './classic-group.js';
import { unknownInstance } from './errors.js';
import { knownMember, memberByInstance, refuseDead } from './membership.js';
import { rebalanceOrComplete } from './rebalance.js';

/** Who leaves. By its instance id alone an operator takes a static member out, whose id only the member knows. */
export interface LeavingMember {
  readonly memberId?: string;
  readonly instanceId?: string;
}

export interface LeaveResult extends LeavingMember {
  /** Why it is not gone; absent when it is. */
  readonly error?: AllotError;
}

/**
 * Takes members out, each answered for itself (classicGroupLeaveToClassicGroup); their partitions are free at once, and all of them
 * together cost one rebalance.
 * @throws AllotError COORDINATOR_NOT_AVAILABLE
 */
export function leave(
  group: ClassicGroup,
  members: readonly LeavingMember[],
  context: StepContext,
): { readonly transition: ClassicTransition; readonly results: readonly LeaveResult[] } {
  refuseDead(group);
  const draft = new ClassicDraft(group, group, context);
  draft.lookAtCatalog();
  const before = draft.group;
  const results = members.map((member) => ({ ...member, ...takeOut(draft, member) }));
  if (draft.group.members !== before.members || draft.group.pending !== before.pending) {
    if (draft.group.phase !== 'EMPTY') rebalanceOrComplete(draft, 'member-left');
    else draft.because('member-left');
  }
  return { transition: draft.finish(), results };
}

function takeOut(draft: ClassicDraft, { memberId, instanceId }: LeavingMember): { readonly error?: AllotError } {
  const { group } = draft;
  try {
    if (memberId === undefined) {
      const holder = memberByInstance(group, instanceId!);
      if (holder === undefined) throw unknownInstance(instanceId!);
      draft.removeMember(holder.memberId);
    } else if (instanceId === undefined && group.pending.some((pending) => pending.memberId === memberId)) {
      draft.forgetPending(memberId);
    } else {
      draft.removeMember(knownMember(group, { memberId, ...(instanceId !== undefined && { instanceId }) }).memberId);
    }
    return {};
  } catch (error) {
    if (error instanceof AllotError) return { error };
    throw error;
  }
}
