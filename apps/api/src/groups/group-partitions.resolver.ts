import { groupSpecOf, type GroupReading, type GroupStore } from '@allot/coordinator';
import { compareText } from '@allot/model';
import { explainIdle } from '@allot/planner';
import { Inject } from '@nestjs/common';
import { Args, ArgsType, Context, Field, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { indexSubscriptions } from '@allot/model';
import { LIMITS } from '../config/limits.js';
import { RequestContext } from '../graphql/request-context.js';
import { ConnectionArgs, connectionRequest, toConnection } from '../paging/connection.js';
import { GROUP_STORE } from '../ports.js';
import { Each, Flag, ListOf, Nullable, complainAboutName } from '../validation/rules.js';
import { viewByPartition } from './assignment-view.js';
import { GroupSummary } from './group.contract.js';
import type { GroupNode } from './group-node.js';
import { readingOf } from './groups.resolver.js';
import {
  GROUP_PARTITIONS,
  type GroupPartition,
  GroupPartitionConnection,
  IdleMember,
  showPartition,
} from './partition.contract.js';

@ArgsType()
class GroupPartitionsArgs extends ConnectionArgs {
  @Field(() => [String], { nullable: true, description: 'Only partitions of these topics.' })
  @Nullable()
  @ListOf(LIMITS.graphqlVariables, 'topics')
  @Each('topic', (value) => complainAboutName(value))
  topics?: string[] | null;

  @Field(() => Boolean, { defaultValue: false, description: 'Only those that nobody may work on.' })
  @Flag()
  unownedOnly: boolean = false;
}

/** A group by partition, and who has nothing to do. */
@Resolver(() => GroupSummary)
export class GroupPartitionsResolver {
  constructor(@Inject(GROUP_STORE) private readonly store: GroupStore) {}

  @ResolveField(() => GroupPartitionConnection, {
    description: 'The partitions that the group reads, by topic and number.',
  })
  async partitions(
    @Parent() group: GroupNode,
    @Args() { topics, unownedOnly, ...args }: GroupPartitionsArgs,
    @Context() context: RequestContext,
  ): Promise<GroupPartitionConnection> {
    const { limit, after } = connectionRequest(GROUP_PARTITIONS, args);
    const [topic, partition] = after === undefined ? ['', -1] : (JSON.parse(after) as [string, number]);
    const wanted = topics === undefined || topics === null ? undefined : new Set(topics);
    const all = partitionsOf(await readingOf(group, context, this.store), wanted);
    const found: GroupPartition[] = [];
    for (const entry of all) {
      const order = compareText(entry.topic, topic) || entry.partition - partition;
      if (order <= 0 || (unownedOnly && entry.current !== undefined)) continue;
      if (found.push(entry) > limit) break;
    }
    return toConnection(
      GROUP_PARTITIONS,
      { items: found.slice(0, limit), more: found.length > limit },
      (entry) => entry,
    );
  }

  @ResolveField(() => [IdleMember], { description: 'Members without any partition in the target, and why.' })
  async idleMembers(@Parent() node: GroupNode, @Context() context: RequestContext): Promise<IdleMember[]> {
    const { group, catalog } = await readingOf(node, context, this.store);
    const spec = groupSpecOf(group, catalog);
    const target = new Map([...group.members.values()].map(({ memberId, target }) => [memberId, target]));
    const idle = explainIdle(spec, target, indexSubscriptions(spec));
    return idle.map(({ member, reason }) => ({ memberId: member, reason }));
  }
}

function* partitionsOf({ group }: GroupReading, topics: ReadonlySet<string> | undefined): Generator<GroupPartition> {
  const { partitions = {} } = viewByPartition(group, topics === undefined ? {} : { topics });
  for (const topic of Object.keys(partitions).sort(compareText)) {
    for (const owner of partitions[topic]!) yield showPartition(topic, owner);
  }
}
