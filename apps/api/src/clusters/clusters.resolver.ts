import type { CatalogStore } from '@allot/coordinator';
import { Inject } from '@nestjs/common';
import { Args, Query, Resolver } from '@nestjs/graphql';
import { orNull } from '../graphql/or-null.js';
import { ConnectionArgs, connectionRequest, toConnection } from '../paging/connection.js';
import { CATALOG_STORE } from '../ports.js';
import { Cluster, ClusterConnection, CLUSTERS, showCluster } from './cluster.contract.js';

@Resolver(() => Cluster)
export class ClustersResolver {
  constructor(@Inject(CATALOG_STORE) private readonly catalog: CatalogStore) {}

  @Query(() => ClusterConnection, { description: 'The clusters by name.' })
  async clusters(@Args() args: ConnectionArgs): Promise<ClusterConnection> {
    return toConnection(CLUSTERS, await this.catalog.listClusters(connectionRequest(CLUSTERS, args)), showCluster);
  }

  @Query(() => Cluster, { nullable: true, description: 'One cluster; null when there is none of this name.' })
  async cluster(@Args('name', { type: () => String, defaultValue: 'default' }) name: string): Promise<Cluster | null> {
    return orNull(this.catalog.getCluster(name).then(showCluster), 'CLUSTER_NOT_FOUND');
  }
}
