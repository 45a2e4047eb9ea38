import type { CatalogStore, DashboardReadModel, PartitionHolder } from '@allot/coordinator';
import { Inject } from '@nestjs/common';
import { Args, Context, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import DataLoader from 'dataloader';
import { Cluster } from '../clusters/cluster.contract.js';
import { orNull } from '../graphql/or-null.js';
import { RequestContext } from '../graphql/request-context.js';
import { ConnectionArgs, connectionRequest, toConnection } from '../paging/connection.js';
import { CATALOG_STORE, DASHBOARD_READ_MODEL } from '../ports.js';
import { showTopic } from './topic-form.js';
import { TOPIC_PARTITIONS, PartitionDetailsConnection, showTopicPartition } from './topic-partition.contract.js';
import { Topic, TopicConnection, TOPICS } from './topic.contract.js';

/** A topic in a GraphQL answer knows its cluster, which its other fields need. */
type TopicNode = Topic & { readonly cluster: string };

/** The topics of a cluster. */
@Resolver(() => Cluster)
export class TopicsResolver {
  constructor(@Inject(CATALOG_STORE) private readonly catalog: CatalogStore) {}

  @ResolveField(() => TopicConnection, { description: 'The topics by name.' })
  async topics(@Parent() { name: cluster }: Cluster, @Args() args: ConnectionArgs): Promise<TopicConnection> {
    const page = await this.catalog.listTopics(cluster, connectionRequest(TOPICS, args));
    return toConnection(TOPICS, page, (topic): TopicNode => ({ ...showTopic(topic), cluster }));
  }

  @ResolveField(() => Topic, { nullable: true, description: 'One topic; null when there is none.' })
  async topic(
    @Parent() { name: cluster }: Cluster,
    @Args('name', { type: () => String }) name: string,
  ): Promise<TopicNode | null> {
    const reading = this.catalog.getTopic(cluster, name).then((topic) => ({ ...showTopic(topic), cluster }));
    return orNull(reading, 'UNKNOWN_TOPIC_OR_PARTITION');
  }
}

interface Range {
  readonly topic: string;
  readonly from: number;
  readonly to: number;
}

/** A topic by partition, with who reads each in which group: one statement for all topics of an answer. */
@Resolver(() => Topic)
export class TopicPartitionsResolver {
  constructor(@Inject(DASHBOARD_READ_MODEL) private readonly dashboard: DashboardReadModel) {}

  @ResolveField(() => PartitionDetailsConnection, { description: 'The partitions by number.' })
  async partitionDetails(
    @Parent() topic: TopicNode,
    @Args() args: ConnectionArgs,
    @Context() context: RequestContext,
  ): Promise<PartitionDetailsConnection> {
    const { limit, after = -1 } = connectionRequest(TOPIC_PARTITIONS, args);
    const from = after + 1;
    const to = Math.min(topic.partitions, from + limit);
    const holders = await this.#holders(topic.cluster, context).load({ topic: topic.name, from, to });
    const byPartition = new Map<number, PartitionHolder[]>();
    for (const holder of holders)
      byPartition.set(holder.partition, [...(byPartition.get(holder.partition) ?? []), holder]);
    const items = Array.from({ length: Math.max(0, to - from) }, (_, i) => ({ partition: from + i }));
    return toConnection(TOPIC_PARTITIONS, { items, more: to < topic.partitions }, ({ partition }) =>
      showTopicPartition(topic, partition, byPartition.get(partition) ?? []),
    );
  }

  #holders(cluster: string, context: RequestContext): DataLoader<Range, readonly PartitionHolder[]> {
    return context.loader(`holders in ${cluster}`, () => {
      return new DataLoader(async (ranges: readonly Range[]) => {
        const all = await this.dashboard.holdersOf(cluster, ranges);
        return ranges.map(({ topic, from, to }) =>
          all.filter((holder) => holder.topic === topic && holder.partition >= from && holder.partition < to),
        );
      });
    });
  }
}
