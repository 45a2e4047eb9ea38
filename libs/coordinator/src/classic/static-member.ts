import { NO_PARTITIONS } from '../consumer/owned-partitions.js';
import { sameSubscription } from '../consumer/subscriptions.js';
import { ANSWER, type ClassicDraft } from './classic-draft.js';
import type { ClassicMember } from './classic-group.js';
import { unreleasedInstance } from './errors.js';
import { toldOfJoin, type JoinStep } from './join-step.js';
import { parked } from './joining-member.js';
import { released, type Description } from './member-description.js';
import type { MemberRef } from './membership.js';
import { checkProtocols, electProtocol } from './protocol-vote.js';
import { rebalanceOrComplete } from './rebalance.js';

/** So many processes back a late first request is known. */
const MOST_FORMER_IDS = 8;

/**
 * A static member has started anew (KIP-345): it takes the place of its former self, lead and assignment included. A stable group
 * goes on as it is when that changes neither its assignor nor what the member reads; else, and always when the leader may just be computing
 * for the former id (E-05), there is a rebalance. Whoever still asks under the old id is fenced.
 */
export function replaceStaticMember(
  draft: ClassicDraft,
  old: ClassicMember,
  description: Description,
  ref: MemberRef,
): JoinStep {
  const { group, context } = draft;
  const { settings, leader, phase, groupEpoch } = group;
  const instanceId = old.instanceId!;
  if (settings.staticPolicy === 'oldest-wins') {
    throw unreleasedInstance(instanceId, old.memberId, settings.heartbeatIntervalMs);
  }
  checkProtocols(
    [...group.members.values()].filter((other) => other !== old),
    description.protocols,
  );
  draft.because('static-member-replaced');
  const { owned, ...fields } = description;
  const { claim, conflictsWith, rackId, clientId, weight, rebalanceDeadline, saidAtRevision, ...inherited } = old;
  const heir: ClassicMember = {
    ...{ ...inherited, ...fields, ...ref, pendingRevocation: NO_PARTITIONS },
    grantedRevision: draft.nextRevision,
    formerIds: [old.memberId, ...(old.formerIds ?? [])].slice(0, MOST_FORMER_IDS),
  };
  draft.removeMember(old.memberId);
  draft.setMember(heir);
  if (leader === old.memberId) draft.set({ leader: heir.memberId });
  const goesOn =
    phase === 'STABLE' &&
    electProtocol(draft.group.members.values(), draft.group.members.get(draft.group.leader!)!) === group.protocol &&
    sameSubscription(old.subscription, heir.subscription) &&
    old.pendingRevocation.size === 0;
  if (goesOn) {
    if (heir.memberEpoch !== groupEpoch) draft.setMember({ ...heir, memberEpoch: groupEpoch, state: 'SYNCED' });
    draft.renew(heir.memberId);
    const isLeader = draft.group.leader === heir.memberId;
    const step: JoinStep = { transition: draft.finish(), outcome: ANSWER, ref };
    return isLeader ? { ...step, skipAssignment: true } : step;
  }
  // A process that has just started holds nothing, unless it says so.
  const held = owned === undefined ? NO_PARTITIONS : released(heir, description).assigned;
  draft.setMember({ ...heir, ...parked(heir, context.now), assigned: held });
  rebalanceOrComplete(draft, 'static-member-replaced');
  return toldOfJoin(draft, ref);
}
