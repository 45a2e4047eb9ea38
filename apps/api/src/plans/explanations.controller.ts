import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Computing } from '../computing/computing.js';
import { Operation } from '../contracts/operation.js';
import { ClusterName, GroupId, PathText } from '../http/path-names.js';
import { ExplainQuery, MemberExplanation, PartitionExplanation } from './explanation.contract.js';
import { GroupPlanner } from './group-planner.js';
import { PlanRequest } from './plan.contract.js';
import { PLANNING_PROBLEMS } from './planning-problems.js';

const ANSWER = {
  description: 'Of a partition, why it is where it is; of a member, what changes for it.',
  type: [PartitionExplanation, MemberExplanation],
};
const NOT_IN_PLAN = ['UNKNOWN_TOPIC_OR_PARTITION', 'UNKNOWN_MEMBER_ID'];

@ApiTags('plans')
@Controller('v1')
export class ExplanationsController {
  constructor(
    private readonly planner: GroupPlanner,
    private readonly computing: Computing,
  ) {}

  @Post('plans/explain')
  @Operation({
    id: 'explainTopology',
    summary: 'Why: a partition or a member of a group given in the request',
    description: 'The body is that of a plan. What is told are the inputs of the same run, and what came out of it.',
    body: {
      type: PlanRequest,
      example: {
        assignor: 'sticky',
        topics: [{ name: 'orders', partitions: 10 }],
        members: ['c1', 'c2', 'c3'].map((id) => ({ id, topics: ['orders'] })),
        changes: [{ addMembers: 1 }],
      },
    },
    answers: { 200: ANSWER },
    problems: [...PLANNING_PROBLEMS, ...NOT_IN_PLAN],
  })
  explainTopology(
    @Body() body: unknown,
    @Query() query: ExplainQuery,
  ): Promise<PartitionExplanation | MemberExplanation> {
    return this.computing.answer('explain', { body, query });
  }

  @Get('clusters/:cluster/groups/:group/plans/:plan/explain')
  @Operation({
    id: 'explainPlan',
    summary: 'Why: a partition or a member of a stored plan',
    description:
      'The plan is computed again from the group. Where the group is no longer as it was when the plan was made, the answer is ' +
      '`STALE_PLAN` rather than an explanation of something else.',
    path: ['cluster', 'group', 'plan'],
    answers: { 200: ANSWER },
    problems: [
      'CLUSTER_NOT_FOUND',
      'GROUP_ID_NOT_FOUND',
      'PLAN_NOT_FOUND',
      'STALE_PLAN',
      ...PLANNING_PROBLEMS,
      ...NOT_IN_PLAN,
    ],
  })
  async explainPlan(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @PathText('plan') id: string,
    @Query() query: ExplainQuery,
  ): Promise<PartitionExplanation | MemberExplanation> {
    return this.planner.explain({ cluster, groupId }, id, query);
  }
}
