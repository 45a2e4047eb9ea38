import type { DashboardReadModel, GroupFacts, GroupReading, GroupStore } from '@allot/coordinator';
import { Inject } from '@nestjs/common';
import { Args, Context, Int, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import DataLoader from 'dataloader';
import { Cluster } from '../clusters/cluster.contract.js';
import { RequestContext } from '../graphql/request-context.js';
import { toConnection } from '../paging/connection.js';
import { DASHBOARD_READ_MODEL, GROUP_STORE } from '../ports.js';
import { listAssignment, TopicPartitions } from './assignment.contract.js';
import { GroupListArgs, groupPage, groupsBy, readFilter, readOrder } from './group-list.js';
import { type Group, GroupConnection, GroupSpec, GroupSummary, Member } from './group.contract.js';
import { type GroupNode, nodeOf, wholeOf } from './group-node.js';
import { showSummary } from './group-view.js';
import { groupNotFound } from './read-group.js';
import { Hold } from './settings.contract.js';

/** The groups of a cluster. */
@Resolver(() => Cluster)
export class ClusterGroupsResolver {
  constructor(
    @Inject(GROUP_STORE) private readonly store: GroupStore,
    @Inject(DASHBOARD_READ_MODEL) private readonly dashboard: DashboardReadModel,
  ) {}

  @ResolveField(() => GroupConnection, {
    description: 'The groups by id, or in another order; all, or those that a filter picks.',
  })
  async groups(
    @Parent() { name }: Cluster,
    @Args() { filter, orderBy, ...args }: GroupListArgs,
  ): Promise<GroupConnection> {
    const order = readOrder(orderBy);
    const list = groupsBy(order);
    const page = await this.dashboard.findGroups(name, readFilter(filter), order, groupPage(list, args));
    const show = ({ summary, facts }: (typeof page.items)[number]): GroupNode => {
      return { ...showSummary(summary), cluster: name, facts };
    };
    return toConnection(list, page, show);
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

  @ResolveField(() => Hold, { nullable: true, description: 'What keeps the group from a new target; null: nothing.' })
  async hold(@Parent() group: GroupNode, @Context() context: RequestContext): Promise<Hold | null> {
    return (await this.#whole(group, context)).hold ?? null;
  }

  @ResolveField(() => Int, { description: 'Moves that the move budget leaves to further targets.' })
  async deferredMoves(@Parent() group: GroupNode, @Context() context: RequestContext): Promise<number> {
    return (await this.#whole(group, context)).deferredMoves ?? 0;
  }

  @ResolveField(() => [TopicPartitions], {
    description: 'Partitions that subscriptions cover and no target gives out, since manual members have them.',
  })
  async leftOut(@Parent() group: GroupNode, @Context() context: RequestContext): Promise<TopicPartitions[]> {
    return listAssignment((await this.#whole(group, context)).leftOut ?? {});
  }

  async #whole(group: GroupNode, context: RequestContext): Promise<Group> {
    return wholeOf(group, await readingOf(group, context, this.store));
  }
}

/** What groups are sorted and picked by; counted in SQL, one statement for all groups of an answer. */
@Resolver(() => GroupSummary)
export class GroupFactsResolver {
  constructor(@Inject(DASHBOARD_READ_MODEL) private readonly dashboard: DashboardReadModel) {}

  @ResolveField(() => Int, {
    description: "The busiest member's partitions minus the least busy one's, of those that members may work on now.",
  })
  async skew(@Parent() group: GroupNode, @Context() context: RequestContext): Promise<number> {
    return (await this.#facts(group, context)).skew;
  }

  @ResolveField(() => Int, { description: 'How many members have no partition in the target.' })
  async idleMemberCount(@Parent() group: GroupNode, @Context() context: RequestContext): Promise<number> {
    return (await this.#facts(group, context)).idleMembers;
  }

  @ResolveField(() => Date, { nullable: true, description: 'When the last rebalance began; null: none is kept.' })
  async lastRebalanceAt(@Parent() group: GroupNode, @Context() context: RequestContext): Promise<Date | null> {
    const { lastRebalance } = await this.#facts(group, context);
    return lastRebalance === undefined ? null : new Date(lastRebalance.startedAt);
  }

  @ResolveField(() => String, { nullable: true, description: 'Why the last rebalance began.' })
  async lastRebalanceCause(@Parent() group: GroupNode, @Context() context: RequestContext): Promise<string | null> {
    return (await this.#facts(group, context)).lastRebalance?.cause ?? null;
  }

  async #facts({ cluster, groupId, facts }: GroupNode, context: RequestContext): Promise<GroupFacts> {
    if (facts !== undefined) return facts;
    const loader = context.loader<string, GroupFacts | undefined>(`facts of ${cluster}`, () => {
      return new DataLoader(async (groupIds: readonly string[]) => {
        const found = await this.dashboard.factsOf(cluster, groupIds);
        return groupIds.map((id) => found.get(id));
      });
    });
    const found = await loader.load(groupId);
    if (found === undefined) throw groupNotFound({ cluster, groupId });
    return found;
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

/** One loader a request and cluster: the groups that its fields ask for are read together. */
export function wholeGroups(
  context: RequestContext,
  store: GroupStore,
  cluster: string,
): DataLoader<string, (GroupNode & { readonly reading: GroupReading }) | undefined> {
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

/** The whole of a group in an answer. @throws AllotError GROUP_ID_NOT_FOUND when it was deleted meanwhile. */
export async function readingOf(group: GroupNode, context: RequestContext, store: GroupStore): Promise<GroupReading> {
  const reading = group.reading ?? (await wholeGroups(context, store, group.cluster).load(group.groupId))?.reading;
  if (reading !== undefined) return reading;
  throw groupNotFound(group);
}
