import type { GroupHistory } from '@allot/coordinator';
import { Inject } from '@nestjs/common';
import { Args, ArgsType, Field, ObjectType, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { Cluster } from '../clusters/cluster.contract.js';
import { outputOf } from '../graphql/derived-types.js';
import { SafeInt } from '../graphql/safe-int.js';
import { ConnectionArgs, connectionOf, connectionRequest, toConnection } from '../paging/connection.js';
import { GROUP_HISTORY } from '../ports.js';
import { Flag, Integer, Name } from '../validation/rules.js';
import { showEntry, showRevision } from './history-view.js';
import { Change, Revision, RevisionDifference, REVISIONS } from './history.contract.js';
import { RevisionsController } from './revisions.controller.js';

outputOf(Change);
outputOf(Revision);
outputOf(RevisionDifference);

@ObjectType()
class ChangeConnection extends connectionOf('Change', () => Change) {}

@ArgsType()
class RevisionsArgs extends ConnectionArgs {
  @Field(() => String, { description: 'Id of the group.' })
  @Name()
  group!: string;

  @Field(() => Boolean, { defaultValue: false, description: 'Only those that gave the group a new target.' })
  @Flag()
  targetsOnly: boolean = false;
}

@ArgsType()
class RevisionArgs {
  @Field(() => String, { description: 'Id of the group.' })
  @Name()
  group!: string;

  @Field(() => SafeInt)
  @Integer(1, Number.MAX_SAFE_INTEGER)
  revision!: number;
}

@ArgsType()
class DifferenceArgs {
  @Field(() => String, { description: 'Id of the group.' })
  @Name()
  group!: string;

  @Field(() => SafeInt)
  @Integer(1, Number.MAX_SAFE_INTEGER)
  from!: number;

  @Field(() => SafeInt)
  @Integer(1, Number.MAX_SAFE_INTEGER)
  to!: number;
}

/** What a group was, one group at a time: each is a statement of its own, and so not below a list of groups. */
@Resolver(() => Cluster)
export class HistoryResolver {
  constructor(
    @Inject(GROUP_HISTORY) private readonly history: GroupHistory,
    private readonly rest: RevisionsController,
  ) {}

  @ResolveField(() => ChangeConnection, { description: 'Revisions of a group, newest first.' })
  async revisions(
    @Parent() { name: cluster }: Cluster,
    @Args() { group: groupId, targetsOnly, ...args }: RevisionsArgs,
  ): Promise<ChangeConnection> {
    const page = await this.history.list({ cluster, groupId }, connectionRequest(REVISIONS, args), { targetsOnly });
    return toConnection(REVISIONS, page, (entry) => showEntry(entry));
  }

  @ResolveField(() => Revision, { description: 'A group as it was.' })
  async revisionOf(
    @Parent() { name: cluster }: Cluster,
    @Args() { group: groupId, revision }: RevisionArgs,
  ): Promise<Revision> {
    const [past] = await this.history.read({ cluster, groupId }, [revision]);
    return showRevision(groupId, past!);
  }

  @ResolveField(() => RevisionDifference, { description: 'What is different between two revisions of a group.' })
  difference(
    @Parent() { name: cluster }: Cluster,
    @Args() { group: groupId, from, to }: DifferenceArgs,
  ): Promise<RevisionDifference> {
    return this.rest.diff(cluster, groupId, from, to);
  }
}
