import { GroupCoordinator } from '@allot/coordinator';
import { Args, ArgsType, Context, Field, Mutation, ObjectType, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { LIMITS } from '../config/limits.js';
import { FlagField, TextField } from '../contracts/fields.js';
import {
  type Conflict,
  FencedMember,
  GroupClosed,
  InstanceConflict,
  orConflict,
  resultOf,
} from '../graphql/conflicts.js';
import { originOf, RequestContext } from '../graphql/request-context.js';
import { MutationArgs } from '../graphql/write-args.js';
import { Name } from '../validation/rules.js';
import { listAssignment, TopicPartitions } from './assignment.contract.js';
import { DrainAnswer } from './drain.contract.js';
import { showDrain } from './group-view.js';

@ObjectType({ description: 'The member with this instance id is removed; in a dry run it would have been.' })
class InstanceRemoved {
  @TextField('The instance id.')
  instanceId!: string;

  @FlagField('Nothing was changed.')
  dryRun!: boolean;
}

const DrainResult = resultOf('DrainResult', DrainAnswer, FencedMember, InstanceConflict, GroupClosed);
const RemoveResult = resultOf('RemoveResult', InstanceRemoved, FencedMember, GroupClosed);

@ArgsType()
class DrainArgs extends MutationArgs {
  @Field(() => String, { description: 'Id of the group.' })
  @Name(LIMITS.nameLength)
  group!: string;

  @Field(() => String, { description: 'Id of the member.' })
  @Name(LIMITS.nameLength)
  member!: string;
}

@ArgsType()
class RemoveArgs extends MutationArgs {
  @Field(() => String, { description: 'Id of the group.' })
  @Name(LIMITS.nameLength)
  group!: string;

  @Field(() => String, { description: 'Instance id of the static member (group.instance.id).' })
  @Name(LIMITS.nameLength)
  instanceId!: string;
}

/** Ending members: what an operator does, by the same calls as in REST. */
@Resolver(() => DrainAnswer)
export class DrainMutationsResolver {
  constructor(private readonly coordinator: GroupCoordinator) {}

  @Mutation(() => DrainResult, {
    description:
      'Have a member hand over everything; stop it when it is `safe`. With `dryRun`: whether it may be stopped, and where its partitions ' +
      'would go.',
  })
  drainMember(@Args() args: DrainArgs, @Context() context: RequestContext): Promise<DrainAnswer | Conflict> {
    return this.#drain(args, false, context);
  }

  @Mutation(() => DrainResult, { description: 'Serve a draining member again.' })
  cancelDrain(@Args() args: DrainArgs, @Context() context: RequestContext): Promise<DrainAnswer | Conflict> {
    return this.#drain(args, true, context);
  }

  @Mutation(() => RemoveResult, {
    description:
      'Remove a static member by its instance id. Its partitions are free at once: its process must have ended.',
  })
  removeInstance(
    @Args() { cluster, group: groupId, instanceId, dryRun, reason }: RemoveArgs,
    @Context() context: RequestContext,
  ): Promise<InstanceRemoved | Conflict> {
    const origin = originOf(context, reason);
    const removed = this.coordinator.removeInstance({ cluster, groupId }, instanceId, origin, { dryRun });
    return orConflict(
      removed.then(() => ({ instanceId, dryRun })),
      FencedMember,
      GroupClosed,
    );
  }

  @ResolveField(() => [TopicPartitions], { description: 'What it still has, to work on or to give up.' })
  holds(@Parent() { holds }: DrainAnswer): TopicPartitions[] {
    return listAssignment(holds);
  }

  #drain(
    { cluster, group: groupId, member: memberId, dryRun, reason }: DrainArgs,
    canceled: boolean,
    context: RequestContext,
  ): Promise<DrainAnswer | Conflict> {
    const command = { memberId, canceled };
    const drained = this.coordinator.drain({ cluster, groupId }, command, originOf(context, reason), { dryRun });
    return orConflict(drained.then(showDrain), FencedMember, InstanceConflict, GroupClosed);
  }
}
