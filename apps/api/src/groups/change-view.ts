import type { GroupChange, GroupReading, MemberChange } from '@allot/coordinator';
import type { AssignmentJson } from '@allot/model';
import { showAssignment } from './assignment.contract.js';
import type { Member } from './group.contract.js';
import { showMember } from './group-view.js';

/** One revision as streams and histories tell it. */
export interface ChangeView {
  readonly revision: number;
  readonly at: string;
  readonly kind: string;
  readonly cause: string;
  readonly actor: string;
  readonly reason?: string;
  readonly requestId?: string;
  readonly state: string;
  readonly groupEpoch: number;
  readonly assignmentEpoch: number;
  readonly members: readonly MemberChangeView[];
}

/** What changed of one member; absent fields did not. */
export interface MemberChangeView {
  readonly memberId: string;
  readonly removed?: true;
  readonly memberEpoch?: number;
  readonly state?: string;
  readonly current?: AssignmentJson;
  readonly revoking?: AssignmentJson;
  readonly target?: AssignmentJson;
}

/** `memberId` narrows it to that member. */
export function showChange({ at, origin, members, ...change }: GroupChange, memberId?: string): ChangeView {
  const shown = memberId === undefined ? members : members.filter((member) => member.memberId === memberId);
  return { ...change, at: new Date(at).toISOString(), ...origin, members: shown.map(showMemberChange) };
}

function showMemberChange({ current, revoking, target, ...member }: MemberChange): MemberChangeView {
  return {
    ...member,
    ...(current !== undefined && { current: showAssignment(current) }),
    ...(revoking !== undefined && { revoking: showAssignment(revoking) }),
    ...(target !== undefined && { target: showAssignment(target) }),
  };
}

/** A member's own part of a group; undefined when it is not in it. */
export function showMemberSnapshot(
  memberId: string,
  { group, leases }: GroupReading,
): (Member & { revision: number; groupEpoch: number; assignmentEpoch: number }) | undefined {
  const member = group.members.get(memberId);
  if (member === undefined) return undefined;
  const { revision, groupEpoch, assignmentEpoch } = group;
  return { revision, groupEpoch, assignmentEpoch, ...showMember(group, member, leases.get(memberId)) };
}
