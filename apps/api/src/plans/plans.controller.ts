import type { Origin, PlanStore } from '@allot/coordinator';
import { Body, Controller, Get, Headers, Inject, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Computing } from '../computing/computing.js';
import { Operation } from '../contracts/operation.js';
import { ExportsPlan, PLAN_EXPORTS } from '../exports/plan-exports.js';
import { RequestOrigin } from '../http/origin.js';
import { ClusterName, GroupId, PathText } from '../http/path-names.js';
import { PLAN_STORE } from '../ports.js';
import { ReasonQuery } from './reason-query.js';
import { GroupPlanner } from './group-planner.js';
import { etagOf, planNotModified } from './plan-etag.js';
import { toPlanPage, planPageRequest, showPlan } from './plan-view.js';
import { GroupPlanRequest, Plan, PlanAnswer, PlanPage, PlanRequest, PlansQuery } from './plan.contract.js';
import { PLANNING_PROBLEMS } from './planning-problems.js';

const EXAMPLE = {
  assignor: 'sticky',
  topics: [{ name: 'orders', partitions: 10 }],
  members: ['c1', 'c2', 'c3'].map((id) => ({ id, topics: ['orders'] })),
  changes: [{ addMembers: 1 }],
};

@ApiTags('plans')
@Controller('v1')
export class PlansController {
  constructor(
    private readonly planner: GroupPlanner,
    private readonly computing: Computing,
    @Inject(PLAN_STORE) private readonly plans: PlanStore,
  ) {}

  @Post('plans')
  @ExportsPlan()
  @Operation({
    id: 'planTopology',
    summary: 'What if: a group given in the request',
    description:
      'Nothing is stored. Without `changes` it answers what the assignor gives; with them, what would change. Members without `owned` ' +
      "count as having what the assignor gives them before the changes. A line of Kafka's conformance vectors is a valid body.",
    body: { type: PlanRequest, example: EXAMPLE },
    answers: { 200: { description: 'The plan.', type: PlanAnswer, mediaTypes: PLAN_EXPORTS } },
    problems: PLANNING_PROBLEMS,
    deferrable: true,
    idempotent: true,
  })
  async planTopology(@Body() body: unknown): Promise<PlanAnswer> {
    return (await this.computing.answer('plan', body)) as PlanAnswer;
  }

  @Post('clusters/:cluster/groups/:group/plans')
  @Operation({
    id: 'planGroup',
    summary: 'What if: a change to a stored group',
    description:
      'The plan is kept with the revision it rests on, so that it can be reviewed and applied. The group is not touched. ' +
      '`blockers` say at once what could never be applied.',
    path: ['cluster', 'group'],
    body: { type: GroupPlanRequest, example: { changes: [{ addMembers: 2 }] }, required: false },
    answers: { 201: { description: 'The plan.', type: Plan } },
    problems: [
      'CLUSTER_NOT_FOUND',
      'GROUP_ID_NOT_FOUND',
      'REVISION_NOT_FOUND',
      'REVISION_COMPACTED',
      ...PLANNING_PROBLEMS,
    ],
    idempotent: true,
    deferrable: true,
  })
  async planGroup(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @Body() body: unknown,
    @Query() _query: ReasonQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
    @RequestOrigin() origin: Origin,
  ): Promise<Plan> {
    const stored = await this.planner.make({ cluster, groupId }, body as GroupPlanRequest, origin);
    void reply.header('Location', `${reply.request.url.split('?')[0]}/${stored.id}`).header('ETag', etagOf(stored));
    return showPlan(stored);
  }

  @Get('clusters/:cluster/groups/:group/plans')
  @Operation({
    id: 'listPlans',
    summary: 'List the plans of a group, newest first',
    path: ['cluster', 'group'],
    answers: { 200: { description: 'Plans.', type: PlanPage } },
    problems: ['CLUSTER_NOT_FOUND', 'GROUP_ID_NOT_FOUND'],
  })
  async list(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @Query() query: PlansQuery,
  ): Promise<PlanPage> {
    return toPlanPage(await this.plans.listByGroup({ cluster, groupId }, planPageRequest(query), query.status));
  }

  @Get('clusters/:cluster/groups/:group/plans/:plan')
  @ExportsPlan()
  @Operation({
    id: 'getPlan',
    summary: 'Read a plan',
    path: ['cluster', 'group', 'plan'],
    description:
      'Its ETag is the revision that it rests on, and its status. As text/csv it is a line a partition with its owner before and after, ' +
      'as text/markdown a report for a change request.',
    answers: {
      200: { description: 'The plan.', type: Plan, mediaTypes: PLAN_EXPORTS },
      304: { description: 'If-None-Match names this version.' },
    },
    problems: ['PLAN_NOT_FOUND'],
  })
  async get(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @PathText('plan') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Headers('if-none-match') ifNoneMatch?: string,
  ): Promise<Plan | undefined> {
    const stored = await this.planner.get({ cluster, groupId }, id);
    return planNotModified(reply, ifNoneMatch, stored) ? undefined : showPlan(stored);
  }
}
