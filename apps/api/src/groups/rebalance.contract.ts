import type { Rebalance as Told } from '@allot/coordinator';
import { ObjectType } from '@nestjs/graphql';
import { FlagField, IntField, ListField, SafeIntField, TextField, TimeField } from '../contracts/fields.js';
import { connectionOf } from '../paging/connection.js';
import { type ListKind, pageOf } from '../paging/page.js';

@ObjectType({ description: 'A member for which the others waited longest.' })
export class LateMember {
  @TextField('Id of the member.')
  memberId!: string;

  @SafeIntField('From the beginning of the rebalance until it reached its target or was fenced, in ms.', {
    example: 412,
  })
  afterMs!: number;

  @FlagField('Whether it was fenced: it had not given its partitions up within its rebalance timeout.')
  fenced!: boolean;
}

@ObjectType({ description: 'How a group came from one target to the next.' })
export class Rebalance {
  @SafeIntField('The revision that began it; names it within its group.', { example: 7 })
  revision!: number;

  @TextField('Why it began. More values may come.', { example: 'member-joined' })
  cause!: string;

  @TextField('Who began it.', { example: 'anonymous' })
  actor!: string;

  @TextField('The reason that was given.', { optional: true })
  reason?: string;

  @TextField('The request that began it.', { optional: true })
  requestId?: string;

  @IntField("The group's epoch from its beginning on.", { example: 3 })
  groupEpoch!: number;

  @TextField(
    'running; completed: every member has reached its target; superseded: the next one began before. More may come.',
    {
      enum: ['running', 'completed', 'superseded'],
      example: 'completed',
    },
  )
  outcome!: string;

  @TimeField('When it began.')
  startedAt!: Date;

  @TimeField('When it was completed or superseded; absent while it runs.', { optional: true })
  endedAt?: Date;

  @SafeIntField('The revision that ended it.', { optional: true, example: 9 })
  endRevision?: number;

  @SafeIntField('From its beginning to its end, in ms.', { optional: true, example: 412 })
  durationMs?: number;

  @IntField('Partitions that its target moves from one member to another; absent while it has none.', {
    optional: true,
    example: 2,
  })
  movedPartitions?: number;

  @IntField("The busiest member's partitions minus the least busy one's, in the target before.", {
    optional: true,
    example: 5,
  })
  skewBefore?: number;

  @IntField('The same in the new target.', { optional: true, example: 1 })
  skewAfter?: number;

  @ListField(
    () => LateMember,
    'Members with whom it ended, or whom it fenced; nobody when it ended as it began or still runs.',
  )
  late!: readonly LateMember[];
}

export class RebalancePage extends pageOf(Rebalance) {}

@ObjectType()
export class RebalanceConnection extends connectionOf('Rebalance', () => Rebalance) {}

export const REBALANCES: ListKind<Told, number> = {
  kind: 'rebalances',
  keyType: 'number',
  keyOf: ({ revision }) => revision,
};

export function showRebalance({ startedAt, origin, end, target, late = [], ...rest }: Told): Rebalance {
  return {
    ...rest,
    ...origin,
    startedAt: new Date(startedAt),
    ...(end !== undefined && {
      endedAt: new Date(end.at),
      endRevision: end.revision,
      durationMs: Math.max(0, Math.round(end.at - startedAt)),
    }),
    ...target,
    late: late.map(({ fenced = false, ...member }) => ({ ...member, fenced })),
  };
}
