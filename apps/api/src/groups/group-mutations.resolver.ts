import { type GroupRef, GroupCoordinator } from '@allot/coordinator';
import { invalidRequest } from '@allot/model';
import { Args, ArgsType, Context, Field, Mutation, ObjectType, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { Deleted, DeleteResult } from '../clusters/cluster-mutations.resolver.js';
import { LIMITS } from '../config/limits.js';
import { FlagField, ObjectField, TextField } from '../contracts/fields.js';
import {
  type Conflict,
  FencedMember,
  GroupClosed,
  InstanceConflict,
  NotEmpty,
  orConflict,
  resultOf,
  StaleRevision,
} from '../graphql/conflicts.js';
import { inputOf } from '../graphql/derived-types.js';
import { originOf, RequestContext } from '../graphql/request-context.js';
import { DeleteArgs, deleteOptionsOf, MutationArgs, WriteArgs, writeOptionsOf } from '../graphql/write-args.js';
import { Flag, Name, Nested } from '../validation/rules.js';
import { listAssignment, readAssignment, TopicPartitions } from './assignment.contract.js';
import { GroupSummary } from './group.contract.js';
import { GroupChange } from './group-change.contract.js';
import { showAnswer, summaryOf } from './group-view.js';
import { readGroupChange } from './groups.controller.js';
import { HeartbeatRequest, JoinRequest, MemberAnswer } from './member.contract.js';
import { readDescription } from './members.controller.js';

@ObjectType()
class GroupWritten {
  @TextField('created, changed or unchanged. More values may come.', { enum: ['created', 'changed', 'unchanged'] })
  outcome!: string;

  @FlagField('Nothing was changed: `group` is what would have been.')
  dryRun!: boolean;

  @ObjectField(() => GroupSummary, 'The group as it is now.')
  group!: GroupSummary;
}

ObjectType({ description: 'What a member is told.' })(MemberAnswer);

@ObjectType({ description: 'The member left; in a dry run it would have.' })
class MemberLeft {
  @FlagField('Nothing was changed.')
  dryRun!: boolean;
}

const PutGroupResult = resultOf('PutGroupResult', GroupWritten, StaleRevision, GroupClosed);
const MemberResult = resultOf('MemberResult', MemberAnswer, FencedMember, InstanceConflict, GroupClosed);
const LeaveResult = resultOf('LeaveResult', MemberLeft, FencedMember, GroupClosed);

const Id = (description: string): PropertyDecorator => {
  const rules = [Field(() => String, { description }), Name(LIMITS.nameLength)];
  return (target, key) => rules.forEach((rule) => rule(target, key));
};

const GroupChangeInput = inputOf(GroupChange);
const JoinRequestInput = inputOf(JoinRequest);
const HeartbeatRequestInput = inputOf(HeartbeatRequest);

@ArgsType()
class PutGroupArgs extends WriteArgs {
  @Id('Id of the group.')
  group!: string;

  @Field(() => GroupChangeInput, { defaultValue: {}, description: 'What is absent stays.' })
  @Nested(() => GroupChange)
  input!: GroupChange;
}

@ArgsType()
class DeleteGroupArgs extends DeleteArgs {
  @Id('Id of the group.')
  group!: string;
}

@ArgsType()
class JoinArgs extends MutationArgs {
  @Id('Id of the group; it is made when it does not exist.')
  group!: string;

  @Field(() => JoinRequestInput, { description: 'What the member says of itself.' })
  @Nested(() => JoinRequest)
  input!: JoinRequest;
}

@ArgsType()
class HeartbeatArgs extends MutationArgs {
  @Id('Id of the group.')
  group!: string;

  @Id('Id of the member.')
  member!: string;

  @Field(() => HeartbeatRequestInput, { description: 'What the member reports.' })
  @Nested(() => HeartbeatRequest)
  input!: HeartbeatRequest;
}

@ArgsType()
class LeaveArgs extends MutationArgs {
  @Id('Id of the group.')
  group!: string;

  @Id('Id of the member.')
  member!: string;

  @Field(() => Boolean, { defaultValue: false, description: 'A static member that will return.' })
  @Flag()
  temporarily: boolean = false;
}

/** Groups and their members are changed by the same calls as in REST. */
@Resolver(() => MemberAnswer)
export class GroupMutationsResolver {
  constructor(private readonly coordinator: GroupCoordinator) {}

  @Mutation(() => PutGroupResult, { description: 'Create a group, or change how it behaves.' })
  putGroup(
    @Args() { cluster, group: groupId, input, ...args }: PutGroupArgs,
    @Context() context: RequestContext,
  ): Promise<GroupWritten | Conflict> {
    const ref = { cluster, groupId };
    const options = writeOptionsOf(args);
    const origin = originOf(context, args.reason);
    const written = this.coordinator.putGroup(ref, readGroupChange(input), origin, options);
    const show = ({ group, outcome, now }: Awaited<typeof written>) => {
      // The rest of the group is read when it is asked for.
      const reading = {
        group,
        catalog: NO_TOPICS,
        leases: new Map<string, number>(),
        now,
        createdAt: now,
        updatedAt: now,
      };
      return { outcome, dryRun: args.dryRun, group: { ...summaryOf(ref, reading), cluster } };
    };
    return orConflict(written.then(show), StaleRevision, GroupClosed);
  }

  @Mutation(() => DeleteResult, { description: 'Delete a group without members, or an imported one.' })
  deleteGroup(@Args() { group: groupId, ...args }: DeleteGroupArgs): Promise<Deleted | Conflict> {
    const deletion = this.coordinator.deleteGroup({ cluster: args.cluster, groupId }, deleteOptionsOf(args));
    return orConflict(
      deletion.then(() => ({ dryRun: args.dryRun })),
      StaleRevision,
      NotEmpty,
    );
  }

  @Mutation(() => MemberResult, { description: 'Join a group. The answer is durable when it arrives.' })
  joinGroup(
    @Args() { cluster, group: groupId, input, dryRun, reason }: JoinArgs,
    @Context() context: RequestContext,
  ): Promise<MemberAnswer | Conflict> {
    const { memberId, ...description } = input;
    const command = { ...readDescription(description), ...(memberId !== undefined && { memberId }) };
    const joined = this.coordinator.join({ cluster, groupId }, command, originOf(context, reason), { dryRun });
    return orConflict(joined.then(showAnswer), FencedMember, InstanceConflict, GroupClosed);
  }

  @Mutation(() => MemberResult, { description: "A member's sign of life, and how it learns of its assignment." })
  heartbeat(
    @Args() { cluster, group: groupId, member: memberId, input, dryRun, reason }: HeartbeatArgs,
    @Context() context: RequestContext,
  ): Promise<MemberAnswer | Conflict> {
    const { memberEpoch, owned, revision, ...description } = input;
    if (memberEpoch < 0) throw leavesByHeartbeat();
    const report = { ...readAssignment(owned), ...(revision !== undefined && { revision }) };
    const command = { ...readDescription(description), ...report, memberId, memberEpoch };
    const answer = this.coordinator.heartbeat({ cluster, groupId }, command, originOf(context, reason), { dryRun });
    return orConflict(answer.then(showAnswer), FencedMember, InstanceConflict, GroupClosed);
  }

  @Mutation(() => LeaveResult, { description: 'Leave a group; the partitions are free at once.' })
  leaveGroup(
    @Args() { cluster, group: groupId, member: memberId, temporarily, dryRun, reason }: LeaveArgs,
    @Context() context: RequestContext,
  ): Promise<MemberLeft | Conflict> {
    const ref: GroupRef = { cluster, groupId };
    const left = this.coordinator.leave(ref, { memberId, temporarily }, originOf(context, reason), { dryRun });
    return orConflict(
      left.then(() => ({ dryRun })),
      FencedMember,
      GroupClosed,
    );
  }

  @ResolveField(() => [TopicPartitions], {
    nullable: true,
    description: 'What the member may work on; null when it reported exactly this.',
  })
  assignment(@Parent() { assignment }: MemberAnswer): TopicPartitions[] | null {
    return assignment === undefined ? null : listAssignment(assignment);
  }

  @ResolveField(() => [TopicPartitions], { description: 'What the member must drop, then report without.' })
  revoking(@Parent() { revoking }: MemberAnswer): TopicPartitions[] {
    return listAssignment(revoking);
  }
}

const NO_TOPICS = { revision: 0, topics: new Map<string, never>() };

function leavesByHeartbeat() {
  const detail = 'must be 0 or an epoch; a member leaves by leaveGroup';
  return invalidRequest(`/input/memberEpoch ${detail}.`, [{ pointer: '/input/memberEpoch', detail }]);
}
