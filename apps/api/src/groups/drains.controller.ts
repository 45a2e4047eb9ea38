import { GroupCoordinator, type Origin } from '@allot/coordinator';
import { Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Operation, type OperationOptions } from '../contracts/operation.js';
import { MutationQuery } from '../http/mutation.js';
import { RequestOrigin } from '../http/origin.js';
import { ClusterName, GroupId, MemberId } from '../http/path-names.js';
import { DrainAnswer } from './drain.contract.js';
import { showDrain } from './group-view.js';

const PROBLEMS = [
  'CLUSTER_NOT_FOUND',
  'GROUP_ID_NOT_FOUND',
  'UNKNOWN_MEMBER_ID',
  'FENCED_INSTANCE_ID',
  'GROUP_READ_ONLY',
  'INCONSISTENT_GROUP_PROTOCOL',
];
const CHECK = {
  summary: 'Whether a member may be stopped, and where its partitions go',
  description:
    'Computed by the same run of the same assignor as a drain; nothing changes. `safe` says that the member has nothing and will get ' +
    'nothing.',
  path: ['cluster', 'group', 'member'],
  answers: { 200: { description: 'Whether it is safe, and what moves.', type: DrainAnswer } },
  problems: PROBLEMS,
} as const satisfies Omit<OperationOptions, 'id'>;

/** Ending members in peace. */
@ApiTags('members')
@Controller('v1/clusters/:cluster/groups/:group/members/:member')
export class DrainsController {
  constructor(private readonly coordinator: GroupCoordinator) {}

  @Post('drain')
  @Operation({
    id: 'drainMember',
    summary: 'Have a member hand over everything',
    description:
      'The member stays in the group, gets nothing more, and hands its partitions over like in any rebalance: it gives them up by its ' +
      'own heartbeats, and only then others get them. When `check-drain` says `safe`, stop it. To ask again changes nothing.',
    path: ['cluster', 'group', 'member'],
    answers: { 200: { description: 'The member drains.', type: DrainAnswer } },
    problems: [...PROBLEMS, 'MEMBER_NOT_DRAINABLE'],
  })
  @HttpCode(200)
  drain(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @MemberId() memberId: string,
    @Query() query: MutationQuery,
    @RequestOrigin() origin: Origin,
  ): Promise<DrainAnswer> {
    return this.#set({ cluster, groupId, memberId, canceled: false }, query, origin);
  }

  @Delete('drain')
  @Operation({
    id: 'cancelDrain',
    summary: 'Serve a draining member again',
    path: ['cluster', 'group', 'member'],
    answers: { 200: { description: 'The member is served.', type: DrainAnswer } },
    problems: PROBLEMS,
  })
  cancel(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @MemberId() memberId: string,
    @Query() query: MutationQuery,
    @RequestOrigin() origin: Origin,
  ): Promise<DrainAnswer> {
    return this.#set({ cluster, groupId, memberId, canceled: true }, query, origin);
  }

  @Get('check-drain')
  @Operation({ id: 'checkDrain', ...CHECK })
  async check(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @MemberId() memberId: string,
  ): Promise<DrainAnswer> {
    return showDrain(await this.coordinator.checkDrain({ cluster, groupId }, memberId));
  }

  @Post('check-drain')
  @Operation({ id: 'postCheckDrain', ...CHECK })
  @HttpCode(200)
  postCheck(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @MemberId() memberId: string,
  ): Promise<DrainAnswer> {
    return this.check(cluster, groupId, memberId);
  }

  async #set(
    { cluster, groupId, ...command }: { cluster: string; groupId: string; memberId: string; canceled: boolean },
    { dryRun = false }: MutationQuery,
    origin: Origin,
  ): Promise<DrainAnswer> {
    return showDrain(await this.coordinator.drain({ cluster, groupId }, command, origin, { dryRun }));
  }
}
