import type { PlanStore, StoredPlan } from '@allot/coordinator';
import { Inject } from '@nestjs/common';
import { Args, ArgsType, Context, Field, Int, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import DataLoader from 'dataloader';
import { RequestContext } from '../graphql/request-context.js';
import { GroupSummary } from '../groups/group.contract.js';
import type { GroupNode } from '../groups/group-node.js';
import { PLAN_STORE } from '../ports.js';
import { Integer } from '../validation/rules.js';
import { showPlan, showResult } from './plan-view.js';
import { Plan, PlanResult } from './plan.contract.js';

const MOST_PLANS = 100;

@ArgsType()
class NewestArgs {
  @Field(() => Int, { defaultValue: 10, description: `Most plans, up to ${MOST_PLANS}.` })
  @Integer(1, MOST_PLANS)
  first: number = 10;
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
  ): Promise<Plan[]> {
    const loader = context.loader<string, readonly StoredPlan[]>(`${first} plans of ${cluster}`, () => {
      return new DataLoader(async (groupIds: readonly string[]) => {
        const plans = await this.store.newestByGroups(cluster, groupIds, first);
        return groupIds.map((id) => plans.get(id) ?? []);
      });
    });
    return (await loader.load(groupId)).map(showPlan);
  }
}

@Resolver(() => Plan)
export class PlansResolver {
  @ResolveField(() => PlanResult, { description: 'Where the group would be, and what it takes to get there.' })
  result(@Parent() { result }: Plan): PlanResult {
    return showResult(result);
  }
}
