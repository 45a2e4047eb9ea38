import { GROUP_ORDERS, type GroupFilter, type GroupOrder, type GroupPlace, type ListedGroup } from '@allot/coordinator';
import { invalidRequest } from '@allot/model';
import type { PageRequest } from '@allot/coordinator';
import { ArgsType, Field, InputType, Int } from '@nestjs/graphql';
import { LIMITS } from '../config/limits.js';
import { ConnectionArgs, connectionRequest } from '../paging/connection.js';
import type { ListKind } from '../paging/page.js';
import { Each, Flag, Integer, ListOf, Name, Nested, Nullable, OneOf, complainAboutName } from '../validation/rules.js';

/** Words in one condition of a filter. */
const MOST_WORDS = 50;

const Words = (description: string): PropertyDecorator => {
  const rules = [
    Field(() => [String], { nullable: true, description }),
    Nullable(),
    ListOf(MOST_WORDS, 'words'),
    Each('word', (value) => complainAboutName(value)),
  ];
  return (target, key) => rules.forEach((rule) => rule(target, key));
};

@InputType('GroupFilter', { description: 'Which groups; everything that is given must hold.' })
export class GroupFilterInput {
  @Field(() => String, { nullable: true, description: 'The id begins so.' })
  @Nullable()
  @Name(LIMITS.nameLength)
  idPrefix?: string | null;

  @Words('The state is one of these.')
  states?: string[] | null;

  @Words('The type is one of these: consumer, classic.')
  types?: string[] | null;

  @Words('live or imported.')
  sources?: string[] | null;

  @Field(() => Int, { nullable: true, description: 'At least this skew.' })
  @Nullable()
  @Integer(0, LIMITS.partitionsPerTopic)
  minSkew?: number | null;

  @Field(() => Boolean, { nullable: true, description: 'With idle members, or without any.' })
  @Nullable()
  @Flag()
  idle?: boolean | null;

  @Words('The last rebalance has one of these causes.')
  causes?: string[] | null;

  @Field(() => Date, { nullable: true, description: 'The last rebalance began then or later.' })
  @Nullable()
  rebalancedSince?: Date | null;

  @Field(() => Date, { nullable: true, description: 'The last rebalance began before.' })
  @Nullable()
  rebalancedBefore?: Date | null;
}

@InputType('GroupOrder', { description: 'In which order.' })
export class GroupOrderInput {
  @Field(() => String, { description: `One of ${GROUP_ORDERS.join(', ')}; more may come.` })
  @OneOf(GROUP_ORDERS)
  by!: GroupOrder['by'];

  @Field(() => Boolean, { defaultValue: false, description: 'The largest, or the latest, first.' })
  @Flag()
  descending: boolean = false;
}

@ArgsType()
export class GroupListArgs extends ConnectionArgs {
  @Field(() => GroupFilterInput, { nullable: true, description: 'Which groups; all when absent.' })
  @Nullable()
  @Nested(() => GroupFilterInput)
  filter?: GroupFilterInput | null;

  @Field(() => GroupOrderInput, { nullable: true, description: 'By id when absent.' })
  @Nullable()
  @Nested(() => GroupOrderInput)
  orderBy?: GroupOrderInput | null;
}

const VALUES: Readonly<Record<GroupOrder['by'], (group: ListedGroup) => number>> = {
  id: () => 0,
  members: ({ summary }) => summary.memberCount,
  partitions: ({ summary }) => summary.assignedPartitions,
  skew: ({ facts }) => facts.skew,
  idle: ({ facts }) => facts.idleMembers,
  'last-rebalance': ({ facts }) => facts.lastRebalance?.startedAt ?? 0,
  updated: ({ summary }) => summary.updatedAt,
};

/** A list of groups in one order; its cursors are of no use in another. */
export function groupsBy({ by, descending }: GroupOrder): ListKind<ListedGroup, string> {
  return {
    kind: `groups by ${by}${descending ? ' descending' : ''}`,
    keyType: 'string',
    keyOf: (group) => JSON.stringify([VALUES[by](group), group.summary.ref.groupId]),
  };
}

export function readOrder(orderBy: GroupOrderInput | null | undefined): GroupOrder {
  return { by: orderBy?.by ?? 'id', descending: orderBy?.descending ?? false };
}

export function readFilter(filter: GroupFilterInput | null | undefined): GroupFilter {
  const { rebalancedSince, rebalancedBefore, ...rest } = filter ?? {};
  const given = Object.entries(rest).filter(([, value]) => value !== undefined && value !== null);
  return {
    ...(Object.fromEntries(given) as GroupFilter),
    ...(rebalancedSince instanceof Date && { rebalancedSince: rebalancedSince.getTime() }),
    ...(rebalancedBefore instanceof Date && { rebalancedBefore: rebalancedBefore.getTime() }),
  };
}

export function groupPage(list: ListKind<ListedGroup, string>, args: ConnectionArgs): PageRequest<GroupPlace> {
  const { limit, after } = connectionRequest(list, args);
  if (after === undefined) return { limit };
  const [value, groupId] = JSON.parse(after) as unknown[];
  if (typeof value === 'number' && typeof groupId === 'string') return { limit, after: { value, groupId } };
  throw invalidRequest('after is not a token of this list.', [{ pointer: 'after', detail: 'is not of this list' }]);
}
