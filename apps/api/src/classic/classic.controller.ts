import { ClassicCoordinator, type Origin, type SuppliedAssignment } from '@allot/coordinator';
import { assignmentFromJson, EMPTY_ASSIGNMENT, invalidRequest } from '@allot/model';
import { Body, Controller, Post, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Operation } from '../contracts/operation.js';
import { RequestOrigin } from '../http/origin.js';
import { ClusterName, GroupId } from '../http/path-names.js';
import { ReasonQuery } from '../plans/reason-query.js';
import { showHeartbeat, showJoin, showParked, showSync } from './classic-view.js';
import {
  ClassicHeartbeatAnswer,
  ClassicJoinAnswer,
  ClassicLeaveAnswer,
  ClassicSyncAnswer,
} from './classic-answers.contract.js';
import {
  ClassicHeartbeatRequest,
  ClassicJoinRequest,
  ClassicLeaveRequest,
  ClassicSyncRequest,
} from './classic-requests.contract.js';
import { ParkedRequests } from './parked-requests.js';

const DEFAULT_TIMEOUT_MS = 30_000;
const MEMBER_PROBLEMS = [
  'CLUSTER_NOT_FOUND',
  'GROUP_ID_NOT_FOUND',
  'UNKNOWN_MEMBER_ID',
  'ILLEGAL_GENERATION',
  'FENCED_INSTANCE_ID',
  'INCONSISTENT_GROUP_PROTOCOL',
];

/** The classic group protocol: JoinGroup, SyncGroup, Heartbeat, LeaveGroup. */
@ApiTags('classic groups')
@Controller('v1/clusters/:cluster/groups/:group')
export class ClassicController {
  constructor(
    private readonly coordinator: ClassicCoordinator,
    private readonly parked: ParkedRequests,
  ) {}

  @Post('join')
  @Operation({
    id: 'joinClassicGroup',
    summary: 'Join a classic group, and wait for its next generation',
    description:
      'The group is made by the first join. A member without an instance id is refused once with its `memberId` (`MEMBER_ID_REQUIRED`) ' +
      'and sends the request again with it. The answer comes when all members have joined; the leader is told who they are.',
    path: ['cluster', 'group'],
    body: { type: ClassicJoinRequest, example: { subscription: { topics: ['orders'] }, protocols: ['range'] } },
    answers: {
      200: { description: 'The member is in this generation.', type: ClassicJoinAnswer },
      202: { description: 'The join stands, others are waited for: send the same again.', type: ClassicJoinAnswer },
    },
    problems: [
      'CLUSTER_NOT_FOUND',
      'MEMBER_ID_REQUIRED',
      'UNKNOWN_MEMBER_ID',
      'FENCED_INSTANCE_ID',
      'UNRELEASED_INSTANCE_ID',
      'INCONSISTENT_GROUP_PROTOCOL',
      'UNSUPPORTED_ASSIGNOR',
      'INVALID_SESSION_TIMEOUT',
      'INVALID_REGULAR_EXPRESSION',
      'GROUP_MAX_SIZE_REACHED',
      'REBALANCE_IN_PROGRESS',
      'COORDINATOR_NOT_AVAILABLE',
    ],
  })
  async join(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @Body() { timeoutMs = DEFAULT_TIMEOUT_MS, ...body }: ClassicJoinRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @RequestOrigin() origin: Origin,
  ): Promise<ClassicJoinAnswer> {
    const since = performance.now();
    const ref = { cluster, groupId };
    const first = await this.coordinator.join(ref, readJoin(body), origin);
    const told = await this.parked.wait(ref, {
      reply: first,
      review: (reading) => this.coordinator.reviewJoin(reading, memberOf(first)),
      timeoutMs,
      since,
      request,
    });
    if (told.kind === 'answer') return showJoin(told.answer, performance.now() - since);
    void reply.status(202);
    return showParked(told.member, told.group);
  }

  @Post('sync')
  @Operation({
    id: 'syncClassicGroup',
    summary: 'Bring the assignment of a generation (its leader), and wait for it',
    description:
      'The leader sends `assignments`, or has the service compute them (`assignedBy`); the others send nothing. What is wrong with the ' +
      "leader's assignment is refused, and the generation goes on waiting. `assignment` is what the member may work on; what another " +
      'member has not given up yet comes in a later generation.',
    path: ['cluster', 'group'],
    body: {
      type: ClassicSyncRequest,
      example: { memberId: 'c1', generation: 1, assignments: { c1: { orders: [0] } } },
    },
    answers: {
      200: { description: 'What the member may work on.', type: ClassicSyncAnswer },
      202: { description: 'The leader is waited for: send the same again.', type: ClassicSyncAnswer },
    },
    problems: [
      ...MEMBER_PROBLEMS,
      'REBALANCE_IN_PROGRESS',
      'INVALID_GROUP_ASSIGNMENT',
      'ASSIGNOR_FAILED',
      'ASSIGNOR_TIMEOUT',
      'INVALID_ASSIGNMENT',
      'UNSUPPORTED_ASSIGNOR',
      'UNSUPPORTED_KAFKA_VERSION',
      'COORDINATOR_NOT_AVAILABLE',
    ],
  })
  async sync(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @Body() { timeoutMs = DEFAULT_TIMEOUT_MS, assignments, userData, ...member }: ClassicSyncRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @RequestOrigin() origin: Origin,
  ): Promise<ClassicSyncAnswer> {
    const since = performance.now();
    const ref = { cluster, groupId };
    const command = { ...member, ...readAssignments(assignments, userData) };
    const told = await this.parked.wait(ref, {
      reply: await this.coordinator.sync(ref, command, origin),
      review: (reading) => this.coordinator.reviewSync(reading, command),
      timeoutMs,
      since,
      request,
    });
    if (told.kind === 'answer') return showSync(told.answer, performance.now() - since);
    void reply.status(202);
    return showParked(told.member, told.group);
  }

  @Post('heartbeat')
  @Operation({
    id: 'heartbeatClassicGroup',
    summary: "A classic member's sign of life",
    description:
      '`action` is `rejoin` while the group waits for its members to join again (`state` PREPARING_REBALANCE), and when the member has ' +
      'something to give up.',
    path: ['cluster', 'group'],
    body: { type: ClassicHeartbeatRequest, example: { memberId: 'c1', generation: 1 } },
    answers: { 200: { description: 'The session goes on.', type: ClassicHeartbeatAnswer } },
    problems: [...MEMBER_PROBLEMS, 'COORDINATOR_NOT_AVAILABLE'],
  })
  async heartbeat(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @Body() body: ClassicHeartbeatRequest,
    @RequestOrigin() origin: Origin,
  ): Promise<ClassicHeartbeatAnswer> {
    return showHeartbeat(await this.coordinator.heartbeat({ cluster, groupId }, body, origin));
  }

  @Post('leave')
  @Operation({
    id: 'leaveClassicGroup',
    summary: 'Leave a classic group, or take static members out of it',
    description: 'Several members at once, each answered for itself; their partitions are free at once.',
    path: ['cluster', 'group'],
    body: { type: ClassicLeaveRequest, example: { members: [{ memberId: 'c1' }] } },
    answers: { 200: { description: 'Who left, and who not, and why.', type: ClassicLeaveAnswer } },
    problems: ['CLUSTER_NOT_FOUND', 'GROUP_ID_NOT_FOUND', 'INCONSISTENT_GROUP_PROTOCOL', 'COORDINATOR_NOT_AVAILABLE'],
  })
  async leave(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @Body() { members }: ClassicLeaveRequest,
    @Query() _query: ReasonQuery,
    @RequestOrigin() origin: Origin,
  ): Promise<ClassicLeaveAnswer> {
    const nameless = members.findIndex(({ memberId, instanceId }) => (memberId ?? instanceId) === undefined);
    if (nameless >= 0) {
      const pointer = `/members/${nameless}`;
      throw invalidRequest(`${pointer} needs a memberId or an instanceId.`, [
        { pointer, detail: 'needs a memberId or an instanceId' },
      ]);
    }
    const results = await this.coordinator.leave({ cluster, groupId }, members, origin);
    return {
      members: results.map(({ error, ...member }) => ({
        ...member,
        ...(error !== undefined && { code: error.code, detail: error.message }),
      })),
    };
  }
}

function memberOf(reply: Awaited<ReturnType<ClassicCoordinator['join']>>) {
  return reply.kind === 'park' ? reply.member : { memberId: reply.answer.memberId };
}

function readJoin(body: Omit<ClassicJoinRequest, 'timeoutMs'>): Parameters<ClassicCoordinator['join']>[1] {
  const { subscription, protocols = [], rebalanceProtocol, owned, ...rest } = body;
  const { topics = [], pattern } = subscription;
  return {
    ...rest,
    subscription: { topics, ...(pattern !== undefined && { pattern }) },
    protocols: protocols.map((protocol) => (typeof protocol === 'string' ? { name: protocol } : protocol)),
    ...(rebalanceProtocol !== undefined && { cooperative: rebalanceProtocol === 'COOPERATIVE' }),
    ...(owned !== undefined && { owned: assignmentFromJson(owned) }),
  };
}

/** What the leader brings; a member with user data alone gets no partitions. */
function readAssignments(
  assignments: ClassicSyncRequest['assignments'],
  userData: ClassicSyncRequest['userData'],
): { assignments?: ReadonlyMap<string, SuppliedAssignment> } {
  if (assignments === undefined && userData === undefined) return {};
  const supplied = new Map<string, SuppliedAssignment>();
  for (const [memberId, json] of Object.entries(assignments ?? {})) {
    supplied.set(memberId, { partitions: assignmentFromJson(json) });
  }
  for (const [memberId, data] of Object.entries(userData ?? {})) {
    supplied.set(memberId, { ...(supplied.get(memberId) ?? { partitions: EMPTY_ASSIGNMENT }), userData: data });
  }
  return { assignments: supplied };
}
