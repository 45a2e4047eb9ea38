import type {
  ClassicGroup,
  ClassicGroupState,
  ClassicMember,
  ClassicMemberState,
  GroupFrame,
  GroupMember,
  MemberProtocol,
  PendingMember,
  PhaseTimer,
} from '@allot/coordinator';
import { assignmentFromJson, assignmentToJson, type AssignmentJson } from '@allot/model';

/** `groups.classic`: what a group of type classic has beside the columns of both types. */
export interface ClassicGroupJson {
  readonly phase: ClassicGroupState;
  readonly protocol?: string;
  readonly leader?: string;
  readonly timer?: PhaseTimer;
  readonly pending: readonly PendingMember[];
}

/** `group_members.classic`. */
export interface ClassicMemberJson {
  readonly protocols: readonly MemberProtocol[];
  readonly cooperative: boolean;
  readonly claim?: { readonly owned: AssignmentJson; readonly generation: number };
  readonly isNew?: true;
  readonly userData?: string;
  readonly conflictsWith?: string;
  readonly grantedRevision?: number;
  readonly saidAtRevision?: number;
  readonly formerIds?: readonly string[];
}

export function toClassicGroup(frame: GroupFrame<ClassicMember>, json: ClassicGroupJson): ClassicGroup {
  return { ...frame, ...json };
}

export function toClassicMember(frame: GroupMember, { claim, ...json }: ClassicMemberJson): ClassicMember {
  return {
    ...frame,
    ...json,
    sessionTimeoutMs: frame.sessionTimeoutMs!,
    state: frame.state as ClassicMemberState,
    ...(claim !== undefined && {
      claim: { owned: assignmentFromJson(claim.owned), generation: claim.generation },
    }),
  };
}

export function classicGroupJson({ phase, protocol, leader, timer, pending }: ClassicGroup): ClassicGroupJson {
  return {
    phase,
    ...(protocol !== undefined && { protocol }),
    ...(leader !== undefined && { leader }),
    ...(timer !== undefined && { timer }),
    pending,
  };
}

export function classicMemberJson(member: ClassicMember): ClassicMemberJson {
  const { protocols, cooperative, claim, isNew, userData, conflictsWith } = member;
  const { grantedRevision, saidAtRevision, formerIds } = member;
  return {
    protocols,
    cooperative,
    ...(claim !== undefined && {
      claim: { owned: assignmentToJson(claim.owned), generation: claim.generation },
    }),
    ...(isNew !== undefined && { isNew }),
    ...(userData !== undefined && { userData }),
    ...(conflictsWith !== undefined && { conflictsWith }),
    ...(grantedRevision !== undefined && { grantedRevision }),
    ...(saidAtRevision !== undefined && { saidAtRevision }),
    ...(formerIds !== undefined && { formerIds }),
  };
}
