import { ANSWER, PARK, refuse, type Outcome } from './classic-draft.js';
import type { ClassicGroup } from './classic-group.js';
import { coordinatorNotAvailable, rebalanceInProgress } from './errors.js';
import { knownMember, type MemberRef } from './membership.js';

/**
 * What a join is told that waits, from the group as it is now; `undefined`: it was deleted. The answer depends on the state alone, so a
 * request can be answered by any replica, whichever it was sent to first. A member whose generation came and went before it was told
 * joins again.
 */
export function outcomeOfJoin(group: ClassicGroup | undefined, ref: MemberRef): Outcome {
  return judge(group, (known) => {
    const { state } = knownMember(known, ref);
    if (state === 'JOINING') return PARK;
    return known.phase === 'PREPARING_REBALANCE' ? refuse(rebalanceInProgress(known.revision)) : ANSWER;
  });
}

/** The same for a sync of a generation. */
export function outcomeOfSync(
  group: ClassicGroup | undefined,
  { generation, ...ref }: MemberRef & { readonly generation: number },
): Outcome {
  return judge(group, (known) => {
    knownMember(known, ref);
    if (known.groupEpoch !== generation || known.phase === 'PREPARING_REBALANCE')
      return refuse(rebalanceInProgress(known.revision));
    return known.phase === 'STABLE' ? ANSWER : PARK;
  });
}

function judge(group: ClassicGroup | undefined, decide: (group: ClassicGroup) => Outcome): Outcome {
  if (group === undefined) return refuse(coordinatorNotAvailable());
  try {
    return decide(group);
  } catch (error) {
    return refuse(error as never);
  }
}
