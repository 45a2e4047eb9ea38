import type { Origin, StoredPlan } from '@allot/coordinator';
import { Controller, Headers, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Operation } from '../contracts/operation.js';
import { MutationQuery } from '../http/mutation.js';
import { RequestOrigin } from '../http/origin.js';
import { ClusterName, GroupId, PathText } from '../http/path-names.js';
import { etagOf, readPlanIfMatch, requirePlanIfMatch, type PlanPrecondition } from './plan-etag.js';
import { PlanLifecycle, type DecideOptions } from './plan-lifecycle.js';
import { showPlan } from './plan-view.js';
import { Plan } from './plan.contract.js';

const GONE = ['CLUSTER_NOT_FOUND', 'GROUP_ID_NOT_FOUND', 'PLAN_NOT_FOUND'];

@ApiTags('plans')
@Controller('v1/clusters/:cluster/groups/:group/plans/:plan')
export class PlanLifecycleController {
  constructor(private readonly lifecycle: PlanLifecycle) {}

  @Post('approve')
  @Operation({
    id: 'approvePlan',
    summary: 'Approve a plan',
    description:
      'Where the group asks for approval (`planApproval`), somebody other than the author does it, and nothing is applied without. ' +
      'Approving again changes nothing.',
    path: ['cluster', 'group', 'plan'],
    answers: { 200: { description: 'The plan, approved.', type: Plan } },
    problems: [...GONE, 'PLAN_CLOSED', 'PLAN_EXPIRED', 'PLAN_APPROVER_IS_AUTHOR', 'STALE_PLAN'],
    ifMatch: 'optional',
    idempotent: true,
  })
  async approve(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @PathText('plan') id: string,
    @Query() query: MutationQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
    @RequestOrigin() origin: Origin,
    @Headers('if-match') ifMatch?: string,
  ): Promise<Plan> {
    const options = optionsOf(query, readPlanIfMatch(ifMatch));
    return answer(reply, await this.lifecycle.approve({ cluster, groupId }, id, origin, options), query);
  }

  @Post('discard')
  @Operation({
    id: 'discardPlan',
    summary: 'Discard a plan, so that nobody applies it',
    path: ['cluster', 'group', 'plan'],
    answers: { 200: { description: 'The plan, discarded.', type: Plan } },
    problems: ['CLUSTER_NOT_FOUND', 'PLAN_NOT_FOUND', 'PLAN_CLOSED'],
    ifMatch: 'optional',
    idempotent: true,
  })
  async discard(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @PathText('plan') id: string,
    @Query() query: MutationQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
    @RequestOrigin() origin: Origin,
    @Headers('if-match') ifMatch?: string,
  ): Promise<Plan> {
    const options = optionsOf(query, readPlanIfMatch(ifMatch));
    return answer(reply, await this.lifecycle.discard({ cluster, groupId }, id, origin, options), query);
  }

  @Post('apply')
  @Operation({
    id: 'applyPlan',
    summary: 'Apply a plan: exactly the stored target, or nothing',
    description:
      'If-Match names the `baseRevision`. When the group has another revision by now, the answer is `STALE_PLAN` with what changed in ' +
      'between. Of several plans for one revision one is applied. Who applies a plan again gets what came of it the first time, with ' +
      '`Idempotency-Replayed: true`; somebody else gets `PLAN_CLOSED`. Members then move by their own heartbeats.',
    path: ['cluster', 'group', 'plan'],
    answers: { 200: { description: 'The plan, applied.', type: Plan } },
    problems: [...GONE, 'PLAN_CLOSED', 'PLAN_EXPIRED', 'PLAN_NOT_APPLICABLE', 'PLAN_NOT_APPROVED', 'STALE_PLAN'],
    ifMatch: 'required',
    idempotent: true,
  })
  async apply(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @PathText('plan') id: string,
    @Query() query: MutationQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
    @RequestOrigin() origin: Origin,
    @Headers('if-match') ifMatch?: string,
  ): Promise<Plan> {
    const options = optionsOf(query, requirePlanIfMatch(ifMatch));
    const { plan, replayed } = await this.lifecycle.apply({ cluster, groupId }, id, origin, options);
    if (replayed) void reply.header('Idempotency-Replayed', 'true');
    return answer(reply, plan, query);
  }
}

function optionsOf({ dryRun = false }: MutationQuery, precondition: PlanPrecondition | undefined): DecideOptions {
  return { dryRun, ...(precondition !== undefined && { precondition }) };
}

function answer(reply: FastifyReply, plan: StoredPlan, { dryRun = false }: MutationQuery): Plan {
  if (dryRun) void reply.header('Allot-Dry-Run', 'true');
  else void reply.header('ETag', etagOf(plan));
  return showPlan(plan);
}
