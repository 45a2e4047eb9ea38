import type { CatalogStore } from '@allot/coordinator';
import { Inject } from '@nestjs/common';
import { Args, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { Cluster } from '../clusters/cluster.contract.js';
import { orNull } from '../graphql/or-null.js';
import { ConnectionArgs, connectionRequest, toConnection } from '../paging/connection.js';
import { CATALOG_STORE } from '../ports.js';
import { showTopic } from './topic-form.js';
import { Topic, TopicConnection, TOPICS } from './topic.contract.js';

/** The topics of a cluster. */
@Resolver(() => Cluster)
export class TopicsResolver {
  constructor(@Inject(CATALOG_STORE) private readonly catalog: CatalogStore) {}

  @ResolveField(() => TopicConnection, { description: 'The topics by name.' })
  async topics(@Parent() { name }: Cluster, @Args() args: ConnectionArgs): Promise<TopicConnection> {
    return toConnection(TOPICS, await this.catalog.listTopics(name, connectionRequest(TOPICS, args)), showTopic);
  }

  @ResolveField(() => Topic, { nullable: true, description: 'One topic; null when there is none.' })
  async topic(@Parent() cluster: Cluster, @Args('name', { type: () => String }) name: string): Promise<Topic | null> {
    return orNull(this.catalog.getTopic(cluster.name, name).then(showTopic), 'UNKNOWN_TOPIC_OR_PARTITION');
  }
}
