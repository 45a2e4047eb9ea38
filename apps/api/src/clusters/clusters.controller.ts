import type { CatalogStore } from '@allot/coordinator';
import { Body, Controller, Delete, Get, Headers, Inject, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Operation } from '../contracts/operation.js';
import { answerWritten, MutationQuery, writeOptions } from '../http/mutation.js';
import { ClusterName } from '../http/path-names.js';
import { notModified, readIfMatch, requireIfMatch } from '../http/preconditions.js';
import { pageRequest, PageQuery, toPage } from '../paging/page.js';
import { CATALOG_STORE } from '../ports.js';
import { Cluster, ClusterChange, CLUSTERS, ClusterPage, showCluster } from './cluster.contract.js';

@ApiTags('clusters')
@Controller('v1/clusters')
export class ClustersController {
  constructor(@Inject(CATALOG_STORE) private readonly catalog: CatalogStore) {}

  @Get()
  @Operation({
    id: 'listClusters',
    summary: 'List the clusters',
    answers: { 200: { description: 'Clusters by name.', type: ClusterPage } },
  })
  async list(@Query() query: PageQuery): Promise<ClusterPage> {
    return toPage(CLUSTERS, await this.catalog.listClusters(pageRequest(CLUSTERS, query)), showCluster);
  }

  @Get(':cluster')
  @Operation({
    id: 'getCluster',
    summary: 'Read a cluster',
    path: ['cluster'],
    answers: {
      200: { description: 'The cluster.', type: Cluster },
      304: { description: 'If-None-Match names this revision.' },
    },
    problems: ['CLUSTER_NOT_FOUND'],
  })
  async get(
    @ClusterName() name: string,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Headers('if-none-match') ifNoneMatch?: string,
  ): Promise<Cluster | undefined> {
    const cluster = await this.catalog.getCluster(name);
    return notModified(reply, ifNoneMatch, cluster.revision) ? undefined : showCluster(cluster);
  }

  @Put(':cluster')
  @Operation({
    id: 'putCluster',
    summary: 'Create or change a cluster',
    description: 'What the body leaves out stays as it is.',
    path: ['cluster'],
    body: { type: ClusterChange, example: { numPartitions: 3 }, required: false },
    answers: {
      200: { description: 'The cluster as it is now.', type: Cluster },
      201: { description: 'The new cluster.', type: Cluster },
    },
    problems: ['CLUSTER_NOT_FOUND'],
    ifMatch: 'optional',
  })
  async put(
    @ClusterName() name: string,
    @Body() change: ClusterChange,
    @Query() query: MutationQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Headers('if-match') ifMatch?: string,
  ): Promise<Cluster> {
    const precondition = readIfMatch(ifMatch);
    if (precondition === 'exists') await this.catalog.getCluster(name);
    const written = await this.catalog.putCluster(name, change, writeOptions(query, precondition));
    return showCluster(answerWritten(reply, written, query));
  }

  @Delete(':cluster')
  @Operation({
    id: 'deleteCluster',
    summary: 'Delete a cluster',
    description: 'Its topics and groups must be deleted before; `default` stays for ever.',
    path: ['cluster'],
    answers: { 204: { description: 'It is gone.' } },
    problems: ['CLUSTER_NOT_FOUND', 'NON_EMPTY_CLUSTER', 'CLUSTER_PROTECTED'],
    ifMatch: 'required',
  })
  async delete(
    @ClusterName() name: string,
    @Query() query: MutationQuery,
    @Headers('if-match') ifMatch?: string,
  ): Promise<void> {
    await this.catalog.deleteCluster(name, writeOptions(query, requireIfMatch(ifMatch)));
  }
}
