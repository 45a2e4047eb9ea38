import type { GroupReadModel, Page, Rebalance } from '@allot/coordinator';
import { Inject } from '@nestjs/common';
import { Args, Context, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import DataLoader from 'dataloader';
import { RequestContext } from '../graphql/request-context.js';
import { ConnectionArgs, connectionRequest, toConnection } from '../paging/connection.js';
import { GROUP_READ_MODEL } from '../ports.js';
import { GroupSummary } from './group.contract.js';
import type { GroupNode } from './group-node.js';
import { RebalanceConnection, REBALANCES, showRebalance } from './rebalance.contract.js';

const NONE: Page<Rebalance> = { items: [], more: false };

/** The rebalances of groups: one statement for all groups of an answer that ask for the same page. */
@Resolver(() => GroupSummary)
export class GroupRebalancesResolver {
  constructor(@Inject(GROUP_READ_MODEL) private readonly groups: GroupReadModel) {}

  @ResolveField(() => RebalanceConnection, { description: 'Rebalances, newest first.' })
  async rebalances(
    @Parent() { cluster, groupId }: GroupNode,
    @Args() args: ConnectionArgs,
    @Context() context: RequestContext,
  ): Promise<RebalanceConnection> {
    const request = connectionRequest(REBALANCES, args);
    const loader = context.loader(
      `rebalances ${request.limit} after ${request.after ?? 'none'} of ${cluster}`,
      () =>
        new DataLoader<string, Page<Rebalance>>(async (groupIds) => {
          const pages = await this.groups.listRebalances(cluster, groupIds, request);
          return groupIds.map((id) => pages.get(id) ?? NONE);
        }),
    );
    return toConnection(REBALANCES, await loader.load(groupId), showRebalance);
  }
}
