import type { ClassicMember } from './classic-group.js';
import { released, type Description } from './member-description.js';

/** A new member that is parked is removed after this long, so that clients that died while they waited do not pile up. */
export const NEW_MEMBER_JOIN_TIMEOUT_MS = 300_000;

/** The member, waiting for the next generation: an eager one holds nothing any more, a cooperative one what it says. */
export function joining(member: ClassicMember, description: Description, now: number): ClassicMember {
  const { claim, rackId, clientId, weight, rebalanceDeadline, saidAtRevision, ...rest } = member;
  const { owned, ...fields } = description;
  return {
    ...rest,
    ...fields,
    ...released(member, description),
    ...parked(member, now),
  };
}

export function parked({ isNew }: ClassicMember, now: number): Pick<ClassicMember, 'state' | 'rebalanceDeadline'> {
  return { state: 'JOINING', ...(isNew === true && { rebalanceDeadline: now + NEW_MEMBER_JOIN_TIMEOUT_MS }) };
}
