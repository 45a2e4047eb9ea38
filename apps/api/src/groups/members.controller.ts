import {
  GroupCoordinator,
  type MemberDescription as Description,
  type Origin,
  type Subscription,
} from '@allot/coordinator';
import { assignmentFromJson } from '@allot/model';
import { Body, Controller, Delete, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Operation } from '../contracts/operation.js';
import { MutationQuery } from '../http/mutation.js';
import { RequestOrigin } from '../http/origin.js';
import { ClusterName, GroupId, MemberId } from '../http/path-names.js';
import { readAssignment } from './assignment.contract.js';
import { showAnswer } from './group-view.js';
import {
  HeartbeatRequest,
  JoinRequest,
  LeaveQuery,
  MemberAnswer,
  MemberDescription,
  RemoveQuery,
} from './member.contract.js';

/** The epoch by which a static member says that it will return; -1 says that it leaves for good. */
const LEAVE_TEMPORARILY = -2;

@ApiTags('members')
@Controller('v1/clusters/:cluster/groups/:group/members')
export class MembersController {
  constructor(private readonly coordinator: GroupCoordinator) {}

  @Post()
  @Operation({
    id: 'joinGroup',
    summary: 'Join a group',
    description:
      'The group is made when it does not exist. The answer is durable when it arrives. Work on `assignment` only, send heartbeats ' +
      'every `heartbeatIntervalMs`, and stop by yourself when `validForMs` has passed without an answer.',
    path: ['cluster', 'group'],
    body: { type: JoinRequest, example: { subscription: { topics: ['orders'] } } },
    answers: {
      200: { description: 'What a dry run would make.', type: MemberAnswer },
      201: { description: 'The new member.', type: MemberAnswer },
    },
    problems: [
      'CLUSTER_NOT_FOUND',
      'MEMBER_ID_IN_USE',
      'FENCED_INSTANCE_ID',
      'UNRELEASED_INSTANCE_ID',
      'GROUP_MAX_SIZE_REACHED',
      'GROUP_READ_ONLY',
      'INVALID_REGULAR_EXPRESSION',
      'PARTITION_COVERED',
      'PARTITION_IN_USE',
    ],
    idempotent: true,
  })
  async join(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @Body() { memberId, ...description }: JoinRequest,
    @Query() query: MutationQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
    @RequestOrigin() origin: Origin,
  ): Promise<MemberAnswer> {
    const command = { ...readDescription(description), ...(memberId !== undefined && { memberId }) };
    const dryRun = query.dryRun === true;
    const answer = await this.coordinator.join({ cluster, groupId }, command, origin, { dryRun });
    void reply.status(dryRun ? 200 : 201);
    if (dryRun) void reply.header('Allot-Dry-Run', 'true');
    else void reply.header('Location', `${reply.request.url.split('?')[0]}/${encodeURIComponent(answer.memberId)}`);
    return showAnswer(answer);
  }

  @Post(':member/heartbeat')
  @Operation({
    id: 'heartbeat',
    summary: "A member's sign of life, and how it learns of its assignment",
    description:
      'Always send `owned`: what the member holds after dropping what the last answer listed under `revoking`. With memberEpoch 0 ' +
      'and a subscription an unknown member joins under this id, and a known one starts over holding nothing.',
    path: ['cluster', 'group', 'member'],
    body: { type: HeartbeatRequest, example: { memberEpoch: 1, owned: { orders: [0, 1, 2, 3] } } },
    answers: {
      200: { description: 'What the member may do now.', type: MemberAnswer },
      204: { description: 'The member left (memberEpoch -1 or -2).' },
    },
    problems: [
      'CLUSTER_NOT_FOUND',
      'GROUP_ID_NOT_FOUND',
      'UNKNOWN_MEMBER_ID',
      'FENCED_MEMBER_EPOCH',
      'FENCED_INSTANCE_ID',
      'UNRELEASED_INSTANCE_ID',
      'GROUP_MAX_SIZE_REACHED',
      'GROUP_READ_ONLY',
      'INVALID_REGULAR_EXPRESSION',
      'PARTITION_COVERED',
      'PARTITION_IN_USE',
    ],
  })
  async heartbeat(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @MemberId() memberId: string,
    @Body() { memberEpoch, owned, revision, ...description }: HeartbeatRequest,
    @Query() { dryRun = false }: MutationQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
    @RequestOrigin() origin: Origin,
  ): Promise<MemberAnswer | undefined> {
    const ref = { cluster, groupId };
    if (dryRun) void reply.header('Allot-Dry-Run', 'true');
    if (memberEpoch < 0) {
      const { instanceId } = description;
      const temporarily = memberEpoch === LEAVE_TEMPORARILY;
      const command = { memberId, temporarily, ...(instanceId !== undefined && { instanceId }) };
      await this.coordinator.leave(ref, command, origin, { dryRun });
      void reply.status(204);
      return undefined;
    }
    const report = { ...readAssignment(owned), ...(revision !== undefined && { revision }) };
    const command = { ...readDescription(description), ...report, memberId, memberEpoch };
    return showAnswer(await this.coordinator.heartbeat(ref, command, origin, { dryRun }));
  }

  @Delete()
  @Operation({
    id: 'removeInstance',
    summary: 'Remove a static member by its instance id',
    description:
      'Its partitions are free at once, so do it when its process has ended; the history says who removed it and why. A member that ' +
      'still works is better drained first.',
    path: ['cluster', 'group'],
    answers: { 204: { description: 'The member is removed.' } },
    problems: ['CLUSTER_NOT_FOUND', 'GROUP_ID_NOT_FOUND', 'UNKNOWN_MEMBER_ID', 'GROUP_READ_ONLY'],
  })
  async removeInstance(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @Query() { dryRun = false, instanceId }: RemoveQuery,
    @RequestOrigin() origin: Origin,
  ): Promise<void> {
    await this.coordinator.removeInstance({ cluster, groupId }, instanceId, origin, { dryRun });
  }

  @Delete(':member')
  @Operation({
    id: 'leaveGroup',
    summary: 'Leave a group, or remove a member from it; the partitions are free at once',
    description:
      'With a `reason` it is an operator who removes the member: the history tells `member-removed` and why.',
    path: ['cluster', 'group', 'member'],
    answers: { 204: { description: 'The member left.' } },
    problems: ['CLUSTER_NOT_FOUND', 'GROUP_ID_NOT_FOUND', 'UNKNOWN_MEMBER_ID', 'GROUP_READ_ONLY'],
  })
  async leave(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @MemberId() memberId: string,
    @Query() { dryRun = false, temporarily = false }: LeaveQuery,
    @RequestOrigin() origin: Origin,
  ): Promise<void> {
    await this.coordinator.leave({ cluster, groupId }, { memberId, temporarily }, origin, { dryRun });
  }
}

export function readDescription({ subscription, assign, ...rest }: MemberDescription): Description {
  return {
    ...rest,
    ...(subscription !== undefined && { subscription: readSubscription(subscription) }),
    ...(assign !== undefined && { assign: assignmentFromJson(assign) }),
  };
}

function readSubscription({ topics = [], pattern }: { topics?: string[]; pattern?: string }): Subscription {
  return { topics, ...(pattern !== undefined && { pattern }) };
}
