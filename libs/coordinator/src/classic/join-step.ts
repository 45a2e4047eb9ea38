import type { ClassicDraft, ClassicStep } from './classic-draft.js';
import type { MemberRef } from './membership.js';
import { outcomeOfJoin } from './parked.js';

export interface JoinStep extends ClassicStep {
  /** The member that the request speaks of from now on. */
  readonly ref: MemberRef;
  /** The leader of a group that goes on as it is: it need not assign anything. */
  readonly skipAssignment?: true;
}

/** The end of a join that stands: whoever sent it was heard, and is told what the group's state answers. */
export function toldOfJoin(draft: ClassicDraft, ref: MemberRef): JoinStep {
  draft.renew(ref.memberId);
  const outcome = outcomeOfJoin(draft.group, ref);
  return { transition: draft.finish(), outcome, ref };
}
