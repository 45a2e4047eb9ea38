import type {
  GroupState,
  ChangeCause,
  ChangeDetails,
  ChangeKind,
  GroupChange,
  MemberChange,
  RebalanceMark,
} from '@allot/coordinator';
import { assignmentFromJson, assignmentToJson } from '@allot/model';
import type { AssignmentJson } from '@allot/model';

/** A revision of a group as a row of group_changes. */
export interface ChangeRow {
  readonly revision: number;
  /** ms since 1970 */
  readonly at: number;
  readonly kind: string;
  readonly cause: string;
  readonly actor: string;
  readonly reason: string | null;
  readonly request_id: string | null;
  readonly state: string;
  readonly group_epoch: number;
  readonly assignment_epoch: number;
  readonly members: readonly MemberChangeJson[];
  readonly rebalance: RebalanceMark | null;
  readonly plan_id: string | null;
  readonly details?: ChangeDetails | null;
}

type MemberChangeJson = Omit<MemberChange, 'current' | 'revoking' | 'target'> & {
  readonly current?: AssignmentJson;
  readonly revoking?: AssignmentJson;
  readonly target?: AssignmentJson;
};

export function toChangeRow(change: GroupChange): ChangeRow {
  return {
    revision: change.revision,
    at: change.at,
    kind: change.kind,
    cause: change.cause,
    actor: change.origin.actor,
    reason: change.origin.reason ?? null,
    request_id: change.origin.requestId ?? null,
    state: change.state,
    group_epoch: change.groupEpoch,
    assignment_epoch: change.assignmentEpoch,
    members: change.members.map(({ current, revoking, target, ...rest }) => ({
      ...rest,
      ...(current && { current: assignmentToJson(current) }),
      ...(revoking && { revoking: assignmentToJson(revoking) }),
      ...(target && { target: assignmentToJson(target) }),
    })),
    rebalance: change.rebalance ?? null,
    plan_id: change.planId ?? null,
    details: change.details ?? null,
  };
}

export function fromChangeRow(row: ChangeRow): GroupChange {
  return {
    revision: row.revision,
    at: row.at,
    kind: row.kind as ChangeKind,
    cause: row.cause as ChangeCause,
    origin: {
      actor: row.actor,
      ...(row.reason !== null && { reason: row.reason }),
      ...(row.request_id !== null && { requestId: row.request_id }),
    },
    state: row.state as GroupState,
    groupEpoch: row.group_epoch,
    assignmentEpoch: row.assignment_epoch,
    members: row.members.map(({ current, revoking, target, ...rest }) => ({
      ...rest,
      ...(current && { current: assignmentFromJson(current) }),
      ...(revoking && { revoking: assignmentFromJson(revoking) }),
      ...(target && { target: assignmentFromJson(target) }),
    })),
    ...(row.rebalance !== null && { rebalance: row.rebalance }),
    ...(row.plan_id !== null && { planId: row.plan_id }),
    ...(row.details && { details: row.details }),
  };
}
