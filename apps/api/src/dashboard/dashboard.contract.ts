import type {
  Activity as Counted,
  ClusterOverview as Overview,
  ClusterRebalance as Listed,
  HourOfActivity as CountedHour,
} from '@allot/coordinator';
import { createUnionType, ObjectType } from '@nestjs/graphql';
import { IntField, ListField, ObjectField, SafeIntField, TextField, TimeField } from '../contracts/fields.js';
import { Rebalance, showRebalance } from '../groups/rebalance.contract.js';
import { connectionOf } from '../paging/connection.js';
import type { ListKind } from '../paging/page.js';

@ObjectType({ description: 'Groups in one state.' })
export class GroupsInState {
  @TextField('The state. More values may come.', { example: 'STABLE' })
  state!: string;

  @IntField('How many groups are in it.')
  groups!: number;
}

@ObjectType({ description: 'A cluster in numbers.' })
export class ClusterOverview {
  /** Which cluster; GraphQL asks for the rest of it by this. */
  name!: string;

  @TextField('Where the changes end that this tells of: a subscription to rebalances may go on from here.')
  position!: string;

  @SafeIntField("Changes with the cluster's topics and its brokers' racks.")
  catalogRevision!: number;

  @IntField('Topics.')
  topics!: number;

  @IntField('Partitions of all topics.')
  partitions!: number;

  @IntField('Brokers.')
  brokers!: number;

  @IntField('Groups.')
  groups!: number;

  @ListField(() => GroupsInState, 'Groups by state.')
  groupsByState!: readonly GroupsInState[];

  @IntField('Members of all groups.')
  members!: number;

  @IntField('Members without any partition in the target.')
  idleMembers!: number;

  @IntField('Partitions that members may work on, of all groups.')
  assignedPartitions!: number;

  @IntField('Groups whose assignor gave no valid target.')
  faultyGroups!: number;

  @SafeIntField('Sum of the revisions of all groups: it differs when something of a group did.')
  revision!: number;
}

@ObjectType({ description: 'What rebalances did in a time.' })
export class Activity {
  @IntField('Rebalances that began.')
  rebalances!: number;

  @IntField('Partitions that their targets move from one member to another.')
  movedPartitions!: number;
}

@ObjectType({ description: 'One hour by the clock, in UTC.' })
export class HourOfActivity extends Activity {
  @TimeField('Its beginning.')
  startsAt!: Date;
}

@ObjectType({ description: 'What the rebalances of a cluster did in a time.' })
export class ClusterActivity extends Activity {
  @ListField(() => HourOfActivity, 'Hour by hour, the oldest first; hours without rebalances are missing.')
  hours!: HourOfActivity[];
}

@ObjectType({ description: 'A group, and what its rebalances did in a time.' })
export class BusyGroup extends Activity {
  @TextField('Id of the group.')
  groupId!: string;

  /** Which cluster; GraphQL asks for the group by it. */
  cluster!: string;
}

@ObjectType({ description: 'A rebalance, in a list of those of many groups.' })
export class ClusterRebalance {
  @TextField('Id of the group.')
  groupId!: string;

  @ObjectField(() => Rebalance, 'The rebalance.')
  rebalance!: Rebalance;

  cluster!: string;
}

@ObjectType()
export class ClusterRebalanceConnection extends connectionOf('ClusterRebalance', () => ClusterRebalance) {}

export const CLUSTER_REBALANCES: ListKind<Listed, string> = {
  kind: 'cluster-rebalances',
  keyType: 'string',
  keyOf: ({ key }) => key,
};

@ObjectType({ description: 'A rebalance began, got its target, or ended.' })
export class RebalanceChange {
  @TextField('Resume after this one.')
  position!: string;

  @SafeIntField("The group's revision that tells of it.")
  revision!: number;

  @TextField('Id of the group.')
  groupId!: string;

  @TextField('began, target or ended. More values may come.', { enum: ['began', 'target', 'ended'] })
  phase!: string;

  @ObjectField(() => Rebalance, 'The rebalance as it was known with that revision.')
  rebalance!: Rebalance;

  cluster!: string;
}

@ObjectType({ description: 'What came after `sincePosition` is no longer kept: read the list, and go on from here.' })
export class RebalancesMissed {
  @TextField('Resume after this one.')
  position!: string;
}

export type RebalanceEventNode = (RebalanceChange | RebalancesMissed) & {
  readonly __typename: 'RebalanceChange' | 'RebalancesMissed';
};

export const RebalanceEvent = createUnionType({
  name: 'RebalanceEvent',
  description: 'What a subscription to rebalances tells.',
  types: () => [RebalanceChange, RebalancesMissed] as const,
  resolveType: ({ __typename }: RebalanceEventNode) => __typename,
});

export function showOverview(name: string, { revisions, ...overview }: Overview): ClusterOverview {
  return { name, ...overview, revision: revisions };
}

export function showActivity(hours: readonly CountedHour[]): ClusterActivity {
  const sum = (of: (hour: Counted) => number) => hours.reduce((total, hour) => total + of(hour), 0);
  return {
    rebalances: sum(({ rebalances }) => rebalances),
    movedPartitions: sum(({ movedPartitions }) => movedPartitions),
    hours: hours.map(({ startsAt, ...hour }) => ({ ...hour, startsAt: new Date(startsAt) })),
  };
}

export function showListed(cluster: string, { groupId, rebalance }: Listed): ClusterRebalance {
  return { cluster, groupId, rebalance: showRebalance(rebalance) };
}
