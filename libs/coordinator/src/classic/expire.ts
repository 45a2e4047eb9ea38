import type { StepContext } from '../consumer/step.js';
import { ClassicDraft, type ClassicTransition } from './classic-draft.js';
import type { ClassicGroup, ClassicMember } from './classic-group.js';
import { rebalanceOrComplete, ring } from './rebalance.js';

/**
 * What time brings to a group: pending members whose time is over are forgotten, members whose session ended (`expired`, decided by the
 * database's clock) or whose own deadline passed are removed, and the phase's timer rings. Members whose request waits here count as
 * alive, and their sessions start anew.
 */
export function expire(group: ClassicGroup, expired: ReadonlySet<string>, context: StepContext): ClassicTransition {
  const draft = new ClassicDraft(group, group, context);
  const { now } = context;
  let isFewer = false;
  for (const { memberId, expiresAt } of group.pending) {
    if (expiresAt > now) continue;
    draft.because('session-expired');
    draft.forgetPending(memberId);
    isFewer = true;
  }
  for (const member of group.members.values()) {
    const { memberId, rebalanceDeadline = Infinity, isNew } = member;
    if (rebalanceDeadline <= now) draft.because(isNew === true ? 'session-expired' : 'rebalance-timeout');
    else if (!expired.has(memberId)) continue;
    else if (isParked(group, member)) {
      draft.renew(memberId);
      continue;
    } else draft.because('session-expired');
    draft.removeMember(memberId);
    isFewer = true;
  }
  if (isFewer && draft.group.phase !== 'EMPTY') rebalanceOrComplete(draft, 'session-expired');
  draft.lookAtCatalog();
  ring(draft);
  return draft.finish();
}

/** Rings the timer of an initial delay, for whoever waits for its end and would rather not wait for a sweep. */
export function endInitialDelay(group: ClassicGroup, context: StepContext): ClassicTransition {
  const draft = new ClassicDraft(group, group, context);
  if (group.timer?.kind === 'initial-delay') ring(draft);
  return draft.finish();
}

/** Whether a request of the member waits for the group: to join the next generation, or for the assignment of this one. */
function isParked({ phase, groupEpoch }: ClassicGroup, { state, memberEpoch }: ClassicMember): boolean {
  if (state === 'JOINING') return true;
  return phase === 'COMPLETING_REBALANCE' && state === 'SYNCED' && memberEpoch === groupEpoch;
}
