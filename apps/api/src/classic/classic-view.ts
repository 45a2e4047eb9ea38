import {
  resolveSubscription,
  type Catalog,
  type ClassicAnswer,
  type ClassicGroup,
  type ClassicHeartbeatAnswer,
  type ClassicJoinAnswer,
  type ClassicMember,
  type ClassicMemberRef,
  type ClassicSyncAnswer,
} from '@allot/coordinator';
import { countPartitions } from '@allot/model';
import { showAssignment } from '../groups/assignment.contract.js';
import { showSpan } from '../groups/group-view.js';
import type * as contract from './classic-answers.contract.js';

type Frame = Pick<contract.ClassicJoinAnswer, 'memberId' | 'state' | 'revision' | 'generation' | 'protocol'>;

/** The answer to a request that is not answered yet. */
export function showParked({ memberId }: ClassicMemberRef, { phase, revision }: ClassicGroup) {
  return { memberId, state: phase, revision, completed: false };
}

export function showJoin(
  { members, topics, skipAssignment, leader, ...answer }: ClassicJoinAnswer,
  waitedMs: number,
): contract.ClassicJoinAnswer {
  return {
    ...showFrame(answer, waitedMs),
    completed: true,
    leader,
    ...(members !== undefined && { members: members.map((member) => showMember(member, answer.protocol, topics!)) }),
    ...(topics !== undefined && {
      topics: Object.fromEntries([...topics].map(([name, { partitions }]) => [name, partitions])),
    }),
    ...(skipAssignment !== undefined && { skipAssignment }),
  };
}

/** Patterns are resolved with the topics that the generation was told. */
function showMember(
  { memberId, instanceId, rackId, subscription, claim, protocols }: ClassicMember,
  protocol: string | undefined,
  topics: ClassicGroup['subscribedTopics'],
): contract.GenerationMember {
  const userData = protocols.find(({ name }) => name === protocol)?.userData;
  const catalog: Catalog = {
    revision: 0,
    topics: new Map([...topics].map(([name, { id, partitions }]) => [name, { name, id, partitions }])),
  };
  return {
    memberId,
    ...(instanceId !== undefined && { instanceId }),
    ...(rackId !== undefined && { rackId }),
    topics: [...resolveSubscription(subscription, catalog)],
    ...(claim !== undefined && { owned: showAssignment(claim.owned), generation: claim.generation }),
    ...(userData !== undefined && { userData }),
  };
}

export function showSync(
  { assignment, revoking, userData, ...answer }: ClassicSyncAnswer,
  waitedMs: number,
): contract.ClassicSyncAnswer {
  return {
    ...showFrame(answer, waitedMs),
    completed: true,
    assignment: showAssignment(assignment),
    revoking: showAssignment(revoking),
    ...(userData !== undefined && { userData }),
  };
}

export function showHeartbeat({ revoking, ...answer }: ClassicHeartbeatAnswer): contract.ClassicHeartbeatAnswer {
  const rejoin = answer.state === 'PREPARING_REBALANCE' || countPartitions(revoking) > 0;
  return { ...showFrame(answer, 0), revoking: showAssignment(revoking), action: rejoin ? 'rejoin' : 'continue' };
}

function showFrame({ validUntil, now, ...answer }: ClassicAnswer, waitedMs: number): Frame {
  return { ...answer, ...showSpan({ ...answer, validUntil, now }, waitedMs) };
}
