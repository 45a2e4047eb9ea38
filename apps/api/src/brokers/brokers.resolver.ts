import type { CatalogStore } from '@allot/coordinator';
import { Inject } from '@nestjs/common';
import { Args, Int, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { Cluster } from '../clusters/cluster.contract.js';
import { orNull } from '../graphql/or-null.js';
import { ConnectionArgs, connectionRequest, toConnection } from '../paging/connection.js';
import { CATALOG_STORE } from '../ports.js';
import { Broker, BrokerConnection, BROKERS, showBroker } from './broker.contract.js';

/** The brokers of a cluster. */
@Resolver(() => Cluster)
export class BrokersResolver {
  constructor(@Inject(CATALOG_STORE) private readonly catalog: CatalogStore) {}

  @ResolveField(() => BrokerConnection, { description: 'The brokers by id.' })
  async brokers(@Parent() { name }: Cluster, @Args() args: ConnectionArgs): Promise<BrokerConnection> {
    return toConnection(BROKERS, await this.catalog.listBrokers(name, connectionRequest(BROKERS, args)), showBroker);
  }

  @ResolveField(() => Broker, { nullable: true, description: 'One broker; null when there is none.' })
  async broker(@Parent() { name }: Cluster, @Args('id', { type: () => Int }) id: number): Promise<Broker | null> {
    return orNull(this.catalog.getBroker(name, id).then(showBroker), 'BROKER_NOT_FOUND');
  }
}
