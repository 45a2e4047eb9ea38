import type { Activity as Counted, CatalogStore, DashboardReadModel, GroupStore } from '@allot/coordinator';
import { Inject } from '@nestjs/common';
import { Args, ArgsType, Context, Field, Int, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import DataLoader from 'dataloader';
import { Cluster, showCluster } from '../clusters/cluster.contract.js';
import { LIMITS } from '../config/limits.js';
import { RequestContext } from '../graphql/request-context.js';
import { GroupSummary } from '../groups/group.contract.js';
import type { GroupNode } from '../groups/group-node.js';
import { wholeGroups } from '../groups/groups.resolver.js';
import { ConnectionArgs, connectionRequest, toConnection } from '../paging/connection.js';
import { CATALOG_STORE, DASHBOARD_READ_MODEL, GROUP_STORE } from '../ports.js';
import { Each, Integer, ListOf, Name, Nullable, complainAboutName } from '../validation/rules.js';
import {
  Activity,
  BusyGroup,
  CLUSTER_REBALANCES,
  ClusterActivity,
  ClusterOverview,
  ClusterRebalance,
  ClusterRebalanceConnection,
  RebalanceChange,
  showActivity,
  showListed,
  showOverview,
} from './dashboard.contract.js';

const HOUR_MS = 3_600_000;
const MOST_CAUSES = 50;

@ArgsType()
class WindowArgs {
  @Field(() => Int, { defaultValue: HOUR_MS, description: 'How far back from now, in milliseconds: up to 7 days.' })
  @Integer(1_000, 7 * 24 * HOUR_MS)
  windowMs: number = HOUR_MS;
}

@ArgsType()
class BusyGroupsArgs extends WindowArgs {
  @Field(() => Int, { defaultValue: 10, description: 'Most groups, up to 100.' })
  @Integer(1, 100)
  first: number = 10;
}

@ArgsType()
class FlappingArgs extends BusyGroupsArgs {
  @Field(() => Int, { defaultValue: 5, description: 'Only groups with more rebalances than this in the window.' })
  @Integer(0, 1_000_000)
  moreThan: number = 5;
}

@ArgsType()
class ClusterRebalancesArgs extends ConnectionArgs {
  @Field(() => [String], { nullable: true, description: 'Only rebalances with one of these causes.' })
  @Nullable()
  @ListOf(MOST_CAUSES, 'causes')
  @Each('cause', (value) => complainAboutName(value))
  causes?: string[] | null;

  @Field(() => Date, { nullable: true, description: 'Only those that began then or later.' })
  @Nullable()
  since?: Date | null;

  @Field(() => String, { nullable: true, description: 'Only those of this group.' })
  @Nullable()
  @Name(LIMITS.nameLength)
  group?: string | null;
}

/** A cluster in numbers, counted in SQL: one statement a field. */
@Resolver(() => Cluster)
export class ClusterDashboardResolver {
  constructor(@Inject(DASHBOARD_READ_MODEL) private readonly dashboard: DashboardReadModel) {}

  @ResolveField(() => ClusterOverview, { description: 'The cluster in numbers.' })
  async overview(@Parent() { name }: Cluster): Promise<ClusterOverview> {
    return showOverview(name, await this.dashboard.overview(name));
  }

  @ResolveField(() => ClusterActivity, { description: 'What rebalances did, in all and hour by hour.' })
  async activity(@Parent() { name }: Cluster, @Args() { windowMs }: WindowArgs): Promise<ClusterActivity> {
    return showActivity(await this.dashboard.activity(name, windowMs));
  }

  @ResolveField(() => [BusyGroup], { description: 'The groups whose rebalances moved most partitions, most first.' })
  topMovingGroups(@Parent() { name }: Cluster, @Args() { windowMs, first }: BusyGroupsArgs): Promise<BusyGroup[]> {
    return this.#busiest(name, { windowMs, by: 'moves', moreThan: 0, limit: first });
  }

  @ResolveField(() => [BusyGroup], { description: 'The groups that do not come to rest, most rebalances first.' })
  flappingGroups(
    @Parent() { name }: Cluster,
    @Args() { windowMs, first, moreThan }: FlappingArgs,
  ): Promise<BusyGroup[]> {
    return this.#busiest(name, { windowMs, by: 'rebalances', moreThan, limit: first });
  }

  @ResolveField(() => ClusterRebalanceConnection, { description: 'Rebalances of all groups, newest first.' })
  async rebalances(
    @Parent() { name }: Cluster,
    @Args() { group, causes, since, ...page }: ClusterRebalancesArgs,
  ): Promise<ClusterRebalanceConnection> {
    const filter = {
      ...(group !== undefined && group !== null && { groupId: group }),
      ...(causes !== undefined && causes !== null && { causes }),
      ...(since !== undefined && since !== null && { since: since.getTime() }),
    };
    const found = await this.dashboard.listRebalances(name, filter, connectionRequest(CLUSTER_REBALANCES, page));
    return toConnection(CLUSTER_REBALANCES, found, (listed) => showListed(name, listed));
  }

  async #busiest(cluster: string, options: Parameters<DashboardReadModel['busiestGroups']>[1]): Promise<BusyGroup[]> {
    return (await this.dashboard.busiestGroups(cluster, options)).map((group) => ({ ...group, cluster }));
  }
}

/** What rebalances of one group did; those of all groups in an answer are counted in one statement. */
@Resolver(() => GroupSummary)
export class GroupActivityResolver {
  constructor(@Inject(DASHBOARD_READ_MODEL) private readonly dashboard: DashboardReadModel) {}

  @ResolveField(() => Activity, { description: 'What its rebalances did.' })
  async activity(
    @Parent() { cluster, groupId }: GroupNode,
    @Args() { windowMs }: WindowArgs,
    @Context() context: RequestContext,
  ): Promise<Activity> {
    const loader = context.loader<string, Counted>(`activity of ${cluster} for ${windowMs}`, () => {
      return new DataLoader(async (groupIds: readonly string[]) => {
        const found = await this.dashboard.activityOf(cluster, groupIds, windowMs);
        return groupIds.map((id) => found.get(id) ?? { rebalances: 0, movedPartitions: 0 });
      });
    });
    return loader.load(groupId);
  }
}

/** From a row about a group to the group; all groups of an answer are read in one statement. */
function groupOf(store: GroupStore, { cluster, groupId }: InGroup, context: RequestContext): Promise<GroupNode | null> {
  return wholeGroups(context, store, cluster)
    .load(groupId)
    .then((node) => node ?? null);
}

interface InGroup {
  readonly cluster: string;
  readonly groupId: string;
}

const GROUP_OF_ROW = { nullable: true, description: 'The group as it is now; null: deleted.' };

@Resolver(() => BusyGroup)
export class BusyGroupResolver {
  constructor(@Inject(GROUP_STORE) private readonly store: GroupStore) {}

  @ResolveField(() => GroupSummary, GROUP_OF_ROW)
  group(@Parent() row: BusyGroup, @Context() context: RequestContext): Promise<GroupNode | null> {
    return groupOf(this.store, row, context);
  }
}

@Resolver(() => ClusterRebalance)
export class ClusterRebalanceResolver {
  constructor(@Inject(GROUP_STORE) private readonly store: GroupStore) {}

  @ResolveField(() => GroupSummary, GROUP_OF_ROW)
  group(@Parent() row: ClusterRebalance, @Context() context: RequestContext): Promise<GroupNode | null> {
    return groupOf(this.store, row, context);
  }
}

@Resolver(() => RebalanceChange)
export class RebalanceChangeResolver {
  constructor(@Inject(GROUP_STORE) private readonly store: GroupStore) {}

  @ResolveField(() => GroupSummary, GROUP_OF_ROW)
  group(@Parent() row: RebalanceChange, @Context() context: RequestContext): Promise<GroupNode | null> {
    return groupOf(this.store, row, context);
  }
}

/** From an overview, which a subscription sends, to everything else of the cluster. */
@Resolver(() => ClusterOverview)
export class OverviewResolver {
  constructor(@Inject(CATALOG_STORE) private readonly catalog: CatalogStore) {}

  @ResolveField(() => Cluster, { description: 'The cluster as it is now.' })
  async cluster(@Parent() { name }: ClusterOverview): Promise<Cluster> {
    return showCluster(await this.catalog.getCluster(name));
  }
}
