import type { GroupReadModel, GroupStore } from '@allot/coordinator';
import { AllotError } from '@allot/model';
import { Inject } from '@nestjs/common';
import { Args, Context, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import DataLoader from 'dataloader';
import { Cluster } from '../clusters/cluster.contract.js';
import { RequestContext } from '../graphql/request-context.js';
import { ConnectionArgs, connectionRequest, toConnection } from '../paging/connection.js';
import { GROUP_READ_MODEL, GROUP_STORE } from '../ports.js';
import { listAssignment, TopicPartitions } from './assignment.contract.js';
import { type Group, GroupConnection, GROUPS, GroupSpec, GroupSummary, Member } from './group.contract.js';
import { type GroupNode, nodeOf } from './group-node.js';
import { showSummary } from './group-view.js';

/** The groups of a cluster. */
@Resolver(() => Cluster)
export class ClusterGroupsResolver {
  constructor(
    @Inject(GROUP_STORE) private readonly store: GroupStore,
    @Inject(GROUP_READ_MODEL) private readonly groupList: GroupReadModel,
  ) {}

  @ResolveField(() => GroupConnection, { description: 'The groups by id.' })
  async groups(@Parent() { name }: Cluster, @Args() args: ConnectionArgs): Promise<GroupConnection> {
    const page = await this.groupList.listGroups(name, connectionRequest(GROUPS, args));
    return toConnection(GROUPS, page, (summary): GroupNode => ({ ...showSummary(summary), cluster: name }));
  }

  @ResolveField(() => GroupSummary, { nullable: true, description: 'One group; null when there is none.' })
  async group(
    @Parent() { name: cluster }: Cluster,
    @Args('id', { type: () => String }) groupId: string,
    @Context() context: RequestContext,
  ): Promise<GroupNode | null> {
    return (await wholeGroups(context, this.store, cluster).load(groupId)) ?? null;
  }
}

/** What is not in a group's summary. All groups of an answer are read in one statement. */
@Resolver(() => GroupSummary)
export class GroupsResolver {
  constructor(@Inject(GROUP_STORE) private readonly store: GroupStore) {}

  @ResolveField(() => GroupSpec, { description: 'What was asked for.' })
  async spec(@Parent() group: GroupNode, @Context() context: RequestContext): Promise<GroupSpec> {
    return (await this.#whole(group, context)).spec;
  }

  @ResolveField(() => [Member], { description: 'Members in the order in which they joined.' })
  async members(@Parent() group: GroupNode, @Context() context: RequestContext): Promise<Member[]> {
    return (await this.#whole(group, context)).members;
  }

  @ResolveField(() => [TopicPartitions], { description: 'Partitions that nobody may work on right now.' })
  async unowned(@Parent() group: GroupNode, @Context() context: RequestContext): Promise<TopicPartitions[]> {
    return listAssignment((await this.#whole(group, context)).unowned);
  }

  @ResolveField(() => [String], { description: 'Members without any partition in the target.' })
  async idle(@Parent() group: GroupNode, @Context() context: RequestContext): Promise<string[]> {
    return (await this.#whole(group, context)).idle;
  }

  @ResolveField(() => [String], { description: 'Topics that members subscribe to and the cluster does not have.' })
  async unknownTopics(@Parent() group: GroupNode, @Context() context: RequestContext): Promise<string[]> {
    return (await this.#whole(group, context)).unknownTopics;
  }

  async #whole({ cluster, groupId, whole }: GroupNode, context: RequestContext): Promise<Group> {
    const known = whole ?? (await wholeGroups(context, this.store, cluster).load(groupId))?.whole;
    if (known !== undefined) return known;
    throw new AllotError('GROUP_ID_NOT_FOUND', `The group ${groupId} was deleted meanwhile.`, { action: 'refresh' });
  }
}

/** A member's assignments, which REST writes as maps. */
@Resolver(() => Member)
export class MembersResolver {
  @ResolveField(() => [TopicPartitions], { description: 'What the member may work on.' })
  current(@Parent() { current }: Member): TopicPartitions[] {
    return listAssignment(current);
  }

  @ResolveField(() => [TopicPartitions], {
    description: 'What the member was told to give up and has not yet reported to have dropped.',
  })
  revoking(@Parent() { revoking }: Member): TopicPartitions[] {
    return listAssignment(revoking);
  }

  @ResolveField(() => [TopicPartitions], { description: 'Where the group wants the member to be.' })
  target(@Parent() { target }: Member): TopicPartitions[] {
    return listAssignment(target);
  }
}

/** One loader a request and cluster: the groups that its fields ask for are read together, and shown once for all fields. */
export function wholeGroups(
  context: RequestContext,
  store: GroupStore,
  cluster: string,
): DataLoader<string, GroupNode | undefined> {
  return context.loader(`groups of ${cluster}`, () => {
    return new DataLoader(async (groupIds: readonly string[]) => {
      const readings = await store.readMany(cluster, groupIds);
      return groupIds.map((groupId) => {
        const reading = readings.get(groupId);
        return reading && nodeOf({ cluster, groupId }, reading);
      });
    });
  });
}
