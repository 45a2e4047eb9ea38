import type { PlanStore, StoredPlan } from '@allot/coordinator';
import { Inject } from '@nestjs/common';
import { Args, ArgsType, Context, createUnionType, Field, Int, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import DataLoader from 'dataloader';
import { Cluster } from '../clusters/cluster.contract.js';
import { outputOf } from '../graphql/derived-types.js';
import { Json } from '../graphql/json.js';
import { orNull } from '../graphql/or-null.js';
import { RequestContext } from '../graphql/request-context.js';
import { GroupSummary } from '../groups/group.contract.js';
import type { GroupNode } from '../groups/group-node.js';
import { PLAN_STORE } from '../ports.js';
import { Integer, Name, Nullable } from '../validation/rules.js';
import { MemberExplanation, PartitionExplanation } from './explanation.contract.js';
import { GroupPlanner } from './group-planner.js';
import { showPlan, showResult } from './plan-view.js';
import { Plan, type PlanAnswer, PlanResult } from './plan.contract.js';

const MOST_PLANS = 100;

@ArgsType()
class NewestArgs {
  @Field(() => Int, { defaultValue: 10, description: `Most plans, up to ${MOST_PLANS}.` })
  @Integer(1, MOST_PLANS)
  first: number = 10;
}

/** What is asked about: a partition or a member, one of the two. */
@ArgsType()
export class ExplainArgs {
  @Field(() => String, { nullable: true, description: 'Topic, hyphen, number, such as orders-3.' })
  @Nullable()
  @Name(260)
  partition?: string | null;

  @Field(() => String, { nullable: true, description: 'Id of a member.' })
  @Nullable()
  @Name(1_000)
  member?: string | null;
}

@ArgsType()
class PlanArgs {
  @Field(() => String, { description: 'Id of the group.' })
  @Name()
  group!: string;

  @Field(() => String, { description: 'Id of the plan.' })
  @Name()
  plan!: string;
}

@ArgsType()
class ExplainPlanArgs extends ExplainArgs {
  @Field(() => String, { description: 'Id of the group.' })
  @Name()
  group!: string;

  @Field(() => String, { description: 'Id of the plan.' })
  @Name()
  plan!: string;
}

/** The query of REST's explanations. */
export function explainQuery({ partition, member }: ExplainArgs): { partition?: string; member?: string } {
  return {
    ...(partition !== undefined && partition !== null && { partition }),
    ...(member !== undefined && member !== null && { member }),
  };
}

export const Explained = createUnionType({
  name: 'Explanation',
  description: 'Why a partition is where it is, or what a plan means for a member.',
  types: () => [outputOf(PartitionExplanation), outputOf(MemberExplanation)] as const,
  resolveType: (value: object) => ('partition' in value ? 'PartitionExplanation' : 'MemberExplanation'),
});
outputOf(PartitionExplanation);
outputOf(MemberExplanation);

/** A plan in a GraphQL answer knows its cluster, by which it is explained. */
export type PlanNode = Plan & { readonly cluster: string };

export function planNodeOf(stored: StoredPlan): PlanNode {
  return { ...showPlan(stored), cluster: stored.ref.cluster };
}

/** The newest plans of a group; those of all groups in an answer are read in one statement. */
@Resolver(() => GroupSummary)
export class GroupPlansResolver {
  constructor(@Inject(PLAN_STORE) private readonly store: PlanStore) {}

  @ResolveField(() => [Plan], { description: 'The newest what-ifs on the group; REST pages through all of them.' })
  async plans(
    @Parent() { cluster, groupId }: GroupNode,
    @Args() { first }: NewestArgs,
    @Context() context: RequestContext,
  ): Promise<PlanNode[]> {
    const loader = context.loader<string, readonly StoredPlan[]>(`${first} plans of ${cluster}`, () => {
      return new DataLoader(async (groupIds: readonly string[]) => {
        const plans = await this.store.newestByGroups(cluster, groupIds, first);
        return groupIds.map((id) => plans.get(id) ?? []);
      });
    });
    return (await loader.load(groupId)).map(planNodeOf);
  }
}

@Resolver(() => Plan)
export class PlansResolver {
  @ResolveField(() => PlanResult, { description: 'Where the group would be, and what it takes to get there.' })
  result(@Parent() { result }: Plan): PlanResult {
    return showResult(result);
  }

  @ResolveField(() => Json, { description: 'The whole result, as REST answers it.' })
  wholeResult(@Parent() { result }: Plan): PlanAnswer {
    return result;
  }
}

/** One plan at a time, each a statement or a computation of its own; so not below a list of groups. */
@Resolver(() => Cluster)
export class ClusterPlansResolver {
  constructor(private readonly planner: GroupPlanner) {}

  @ResolveField(() => Plan, { nullable: true, description: 'One what-if on a group; null when there is none.' })
  plan(@Parent() { name: cluster }: Cluster, @Args() { group: groupId, plan }: PlanArgs): Promise<PlanNode | null> {
    return orNull(this.planner.get({ cluster, groupId }, plan).then(planNodeOf), 'PLAN_NOT_FOUND');
  }

  @ResolveField(() => Explained, {
    description: 'Why. The plan is computed again; an error STALE_PLAN where the group is another by now.',
  })
  explainPlan(
    @Parent() { name: cluster }: Cluster,
    @Args() { group: groupId, plan, ...args }: ExplainPlanArgs,
  ): Promise<PartitionExplanation | MemberExplanation> {
    return this.planner.explain({ cluster, groupId }, plan, explainQuery(args));
  }
}
