import type { CatalogStore } from '@allot/coordinator';
import { Body, Controller, Delete, Get, Headers, Inject, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Operation } from '../contracts/operation.js';
import { CatalogChanges } from '../groups/catalog-changes.js';
import { answerWritten, MutationQuery, writeOptions } from '../http/mutation.js';
import { BrokerId, ClusterName } from '../http/path-names.js';
import { notModified, readIfMatch, requireIfMatch } from '../http/preconditions.js';
import { pageRequest, PageQuery, toPage } from '../paging/page.js';
import { CATALOG_STORE } from '../ports.js';
import { Broker, BrokerChange, BrokerPage, BROKERS, showBroker } from './broker.contract.js';

@ApiTags('brokers')
@Controller('v1/clusters/:cluster/brokers')
export class BrokersController {
  constructor(
    @Inject(CATALOG_STORE) private readonly catalog: CatalogStore,
    private readonly changes: CatalogChanges,
  ) {}

  @Get()
  @Operation({
    id: 'listBrokers',
    summary: 'List the brokers of a cluster',
    path: ['cluster'],
    answers: { 200: { description: 'Brokers by id.', type: BrokerPage } },
    problems: ['CLUSTER_NOT_FOUND'],
  })
  async list(@ClusterName() cluster: string, @Query() query: PageQuery): Promise<BrokerPage> {
    return toPage(BROKERS, await this.catalog.listBrokers(cluster, pageRequest(BROKERS, query)), showBroker);
  }

  @Get(':broker')
  @Operation({
    id: 'getBroker',
    summary: 'Read a broker',
    path: ['cluster', 'broker'],
    answers: {
      200: { description: 'The broker.', type: Broker },
      304: { description: 'If-None-Match names this revision.' },
    },
    problems: ['CLUSTER_NOT_FOUND', 'BROKER_NOT_FOUND'],
  })
  async get(
    @ClusterName() cluster: string,
    @BrokerId() id: number,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Headers('if-none-match') ifNoneMatch?: string,
  ): Promise<Broker | undefined> {
    const broker = await this.catalog.getBroker(cluster, id);
    return notModified(reply, ifNoneMatch, broker.revision) ? undefined : showBroker(broker);
  }

  @Put(':broker')
  @Operation({
    id: 'putBroker',
    summary: 'Create or change a broker',
    description: 'What the body leaves out stays as it is.',
    path: ['cluster', 'broker'],
    body: { type: BrokerChange, example: { rack: 'eu-west-1a' }, required: false },
    answers: {
      200: { description: 'The broker as it is now.', type: Broker },
      201: { description: 'The new broker.', type: Broker },
    },
    problems: ['CLUSTER_NOT_FOUND', 'BROKER_NOT_FOUND'],
    ifMatch: 'optional',
  })
  async put(
    @ClusterName() cluster: string,
    @BrokerId() id: number,
    @Body() change: BrokerChange,
    @Query() query: MutationQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Headers('if-match') ifMatch?: string,
  ): Promise<Broker> {
    const precondition = readIfMatch(ifMatch);
    if (precondition === 'exists') await this.catalog.getBroker(cluster, id);
    const written = await this.catalog.putBroker(cluster, id, change, writeOptions(query, precondition));
    if (written.outcome !== 'unchanged' && query.dryRun !== true) this.changes.announce();
    return showBroker(answerWritten(reply, written, query));
  }

  @Delete(':broker')
  @Operation({
    id: 'deleteBroker',
    summary: 'Delete a broker',
    path: ['cluster', 'broker'],
    answers: { 204: { description: 'It is gone.' } },
    problems: ['CLUSTER_NOT_FOUND', 'BROKER_NOT_FOUND'],
    ifMatch: 'required',
  })
  async delete(
    @ClusterName() cluster: string,
    @BrokerId() id: number,
    @Query() query: MutationQuery,
    @Headers('if-match') ifMatch?: string,
  ): Promise<void> {
    await this.catalog.deleteBroker(cluster, id, writeOptions(query, requireIfMatch(ifMatch)));
    if (query.dryRun !== true) this.changes.announce();
  }
}
