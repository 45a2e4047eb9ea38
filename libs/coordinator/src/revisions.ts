import { EMPTY_ASSIGNMENT, type Assignment } from '@allot/model';
import type { GroupChange, MemberChange } from './history.js';

/** A member as of a certain revision. */
export interface RevisionMember {
  readonly memberId: string;
  readonly instanceId?: string;
  readonly memberEpoch: number;
  readonly state: string;
  readonly current: Assignment;
  readonly revoking: Assignment;
  readonly target: Assignment;
}

/** A group as a certain revision left it; `change` is that revision, its members aside. */
export interface GroupRevision {
  readonly change: Omit<GroupChange, 'members'>;
  readonly members: ReadonlyMap<string, RevisionMember>;
}

/**
 * Goes on from the members of one revision to those of the next. Changes say only what changed, so telling a revision takes the
 * members of an earlier one and every change in between; nothing can be told backward from a later one.
 */
export function foldMembers(members: Map<string, RevisionMember>, changes: Iterable<GroupChange>): void {
  for (const change of changes) {
    for (const member of change.members) {
      if (member.removed) members.delete(member.memberId);
      else members.set(member.memberId, changed(members.get(member.memberId), member));
    }
  }
}

function changed(before: RevisionMember | undefined, change: MemberChange): RevisionMember {
  const old = change.added === undefined ? before : undefined;
  const instanceId = change.instanceId ?? old?.instanceId;
  return {
    memberId: change.memberId,
    ...(instanceId !== undefined && { instanceId }),
    memberEpoch: change.memberEpoch ?? old?.memberEpoch ?? 0,
    state: change.state ?? old?.state ?? 'STABLE',
    current: change.current ?? old?.current ?? EMPTY_ASSIGNMENT,
    revoking: change.revoking ?? old?.revoking ?? EMPTY_ASSIGNMENT,
    target: change.target ?? old?.target ?? EMPTY_ASSIGNMENT,
  };
}
