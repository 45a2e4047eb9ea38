import type { GroupReadModel } from '@allot/coordinator';
import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Operation } from '../contracts/operation.js';
import { ClusterName, GroupId } from '../http/path-names.js';
import { PageQuery, pageRequest, toPage } from '../paging/page.js';
import { GROUP_READ_MODEL } from '../ports.js';
import { groupNotFound } from './read-group.js';
import { RebalancePage, REBALANCES, showRebalance } from './rebalance.contract.js';

@ApiTags('groups')
@Controller('v1/clusters/:cluster/groups/:group/rebalances')
export class RebalancesController {
  constructor(@Inject(GROUP_READ_MODEL) private readonly groups: GroupReadModel) {}

  @Get()
  @Operation({
    id: 'listRebalances',
    summary: "List a group's rebalances, newest first: why each began, what it moved, how long it took",
    description: 'Told from the history of changes, and kept as long as it.',
    path: ['cluster', 'group'],
    answers: { 200: { description: 'Rebalances, newest first.', type: RebalancePage } },
    problems: ['CLUSTER_NOT_FOUND', 'GROUP_ID_NOT_FOUND'],
  })
  async list(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @Query() query: PageQuery,
  ): Promise<RebalancePage> {
    const pages = await this.groups.listRebalances(cluster, [groupId], pageRequest(REBALANCES, query));
    const page = pages.get(groupId);
    if (page === undefined) throw groupNotFound({ cluster, groupId });
    return toPage(REBALANCES, page, showRebalance);
  }
}
