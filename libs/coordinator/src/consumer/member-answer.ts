import { compareText, sameAssignment, type Assignment } from '@allot/model';
import { asConsumerGroup } from '../group.js';
import type { StepResult } from '../ports/group-store.js';
import type { ConsumerMember, MemberState } from './consumer-group.js';
import { withoutEpochs } from './owned-partitions.js';
import { mayWorkUntil } from './ownership-check.js';

/** What a member is told. */
export interface MemberAnswer {
  readonly memberId: string;
  readonly memberEpoch: number;
  readonly state: MemberState;
  /** What it may work on; absent when the member reported exactly this. */
  readonly assignment?: Assignment;
  /** What it must give up, and report without, before its epoch rises. */
  readonly revoking: Assignment;
  readonly heartbeatIntervalMs: number;
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  /** Until when it may work without another answer, database time in ms: durable. See `mayWorkUntil`. */
  readonly validUntil: number;
  readonly now: number;
  readonly revision: number;
  readonly groupEpoch: number;
  readonly assignmentEpoch: number;
  /** Topics that it subscribes to and the cluster did not have when the group looked last, ascending; absent when there are none. */
  readonly unknownTopics?: readonly string[];
}

/** What a member is told after a step; `owned` is what it has just reported. */
export function answerOf(result: StepResult<undefined>, memberId: string, owned: Assignment | undefined): MemberAnswer {
  const group = asConsumerGroup(result.group)!;
  const member = group.members.get(memberId)!;
  const { settings, revision, groupEpoch, assignmentEpoch } = group;
  const unknownTopics = member.subscription.topics.filter((topic) => !group.subscribedTopics.has(topic));
  return {
    ...memberFacts(member, owned),
    ...(unknownTopics.length > 0 && { unknownTopics: unknownTopics.sort(compareText) }),
    heartbeatIntervalMs: settings.heartbeatIntervalMs,
    sessionTimeoutMs: settings.sessionTimeoutMs,
    validUntil: mayWorkUntil(member, result.leases.get(memberId)!),
    now: result.now,
    revision,
    groupEpoch,
    assignmentEpoch,
  };
}

function memberFacts(member: ConsumerMember, owned: Assignment | undefined) {
  const assignment = withoutEpochs(member.assigned);
  const { memberId, memberEpoch, state, rebalanceTimeoutMs } = member;
  const told = owned !== undefined && sameAssignment(assignment, owned);
  const revoking = withoutEpochs(member.pendingRevocation);
  return { memberId, memberEpoch, state, rebalanceTimeoutMs, revoking, ...(!told && { assignment }) };
}
