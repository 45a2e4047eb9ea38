import type { StoredPlan } from '@allot/coordinator';
import { Args, ArgsType, Context, Field, Mutation, ObjectType, Resolver } from '@nestjs/graphql';
import { Allow } from 'class-validator';
import { LIMITS } from '../config/limits.js';
import { FlagField, ObjectField } from '../contracts/fields.js';
import { type Conflict, orConflict, resultOf, StalePlan, StaleRevision } from '../graphql/conflicts.js';
import { Json } from '../graphql/json.js';
import { originOf, RequestContext } from '../graphql/request-context.js';
import { DeleteArgs, deleteOptionsOf, MutationArgs, WriteArgs, writeOptionsOf } from '../graphql/write-args.js';
import { Name } from '../validation/rules.js';
import { GroupPlanner } from './group-planner.js';
import { type DecideOptions, PlanLifecycle } from './plan-lifecycle.js';
import { type GroupPlanRequest, Plan } from './plan.contract.js';
import { planNodeOf } from './plans.resolver.js';

@ObjectType()
class PlanWritten {
  @ObjectField(() => Plan, 'The plan as it is now.')
  plan!: Plan;

  @FlagField('Nothing was changed.')
  dryRun!: boolean;
}

const PlanWriteResult = resultOf('PlanWriteResult', PlanWritten, StalePlan, StaleRevision);

@ArgsType()
class PlanGroupArgs extends MutationArgs {
  @Field(() => String, { description: 'Id of the group.' })
  @Name(LIMITS.nameLength)
  group!: string;

  @Field(() => Json, { nullable: true, description: 'The body of the same call in REST: `changes` and so on.' })
  @Allow()
  input?: GroupPlanRequest | null;
}

@ArgsType()
class DecideArgs extends WriteArgs {
  @Field(() => String, { description: 'Id of the group.' })
  @Name(LIMITS.nameLength)
  group!: string;

  @Field(() => String, { description: 'Id of the plan.' })
  @Name(LIMITS.nameLength)
  plan!: string;
}

@ArgsType()
class ApplyArgs extends DeleteArgs {
  @Field(() => String, { description: 'Id of the group.' })
  @Name(LIMITS.nameLength)
  group!: string;

  @Field(() => String, { description: 'Id of the plan.' })
  @Name(LIMITS.nameLength)
  plan!: string;
}

/** Plans are made, reviewed and carried out by the same calls as in REST. `ifRevision` is the revision that the plan rests on. */
@Resolver()
export class PlanMutationsResolver {
  constructor(
    private readonly planner: GroupPlanner,
    private readonly lifecycle: PlanLifecycle,
  ) {}

  @Mutation(() => Plan, {
    description: 'What if: a change to a stored group. The plan is kept; the group is not touched.',
  })
  async planGroup(
    @Args() { cluster, group: groupId, input, reason }: PlanGroupArgs,
    @Context() context: RequestContext,
  ): Promise<Plan> {
    return planNodeOf(await this.planner.make({ cluster, groupId }, input ?? {}, originOf(context, reason)));
  }

  @Mutation(() => PlanWriteResult, { description: 'Agree to a plan.' })
  approvePlan(@Args() args: DecideArgs, @Context() context: RequestContext): Promise<PlanWritten | Conflict> {
    const { cluster, group: groupId, plan, reason } = args;
    const options = decideOptions(writeOptionsOf(args));
    return decided(args.dryRun, this.lifecycle.approve({ cluster, groupId }, plan, originOf(context, reason), options));
  }

  @Mutation(() => PlanWriteResult, { description: 'Put a plan away.' })
  discardPlan(@Args() args: DecideArgs, @Context() context: RequestContext): Promise<PlanWritten | Conflict> {
    const { cluster, group: groupId, plan, reason } = args;
    const options = decideOptions(writeOptionsOf(args));
    return decided(args.dryRun, this.lifecycle.discard({ cluster, groupId }, plan, originOf(context, reason), options));
  }

  @Mutation(() => PlanWriteResult, {
    description:
      'Carry a plan out, exactly. Where the group has another revision by now: a conflict with what changed.',
  })
  applyPlan(@Args() args: ApplyArgs, @Context() context: RequestContext): Promise<PlanWritten | Conflict> {
    const { cluster, group: groupId, plan, reason } = args;
    const options = decideOptions(deleteOptionsOf(args));
    const applied = this.lifecycle.apply({ cluster, groupId }, plan, originOf(context, reason), options);
    return decided(
      args.dryRun,
      applied.then(({ plan }) => plan),
    );
  }
}

function decideOptions({ ifRevision, dryRun = false }: ReturnType<typeof writeOptionsOf>): DecideOptions {
  return { dryRun, ...(ifRevision !== undefined && { precondition: { baseRevision: ifRevision } }) };
}

function decided(dryRun: boolean, work: Promise<StoredPlan>): Promise<PlanWritten | Conflict> {
  return orConflict(
    work.then((stored) => ({ plan: planNodeOf(stored), dryRun })),
    StalePlan,
    StaleRevision,
  );
}
