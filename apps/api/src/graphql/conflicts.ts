import { AllotError } from '@allot/model';
import { createUnionType, Field, Int, InterfaceType, ObjectType } from '@nestjs/graphql';
import type { Type } from '@nestjs/common';
import { Json } from './json.js';

/**
 * What a client must expect when others change the same things: told as a result, so that a client's types make it look. Everything
 * else is an error, with the same code as in REST.
 */
@InterfaceType({
  description: 'Somebody else was there first. The same code and advice as in REST.',
  resolveType: ({ __typename }: Conflict) => __typename,
})
export abstract class Conflict {
  @Field(() => String, { description: "Kafka's code where there is one. More values may come." })
  code!: string;

  @Field(() => String, { description: 'For people.' })
  message!: string;

  @Field(() => String, { description: 'rejoin, retry, refresh, stop or fix-request. More values may come.' })
  action!: string;

  @Field(() => Boolean, { description: 'Whether the same request may succeed later.' })
  retriable!: boolean;

  @Field(() => Int, { nullable: true, description: 'How long to wait before a retry, in ms.' })
  retryAfterMs?: number;

  @Field(() => Json, {
    nullable: true,
    description: 'What is the case instead: the further members of the problem in REST.',
  })
  facts?: object;

  __typename!: string;
}

@ObjectType({
  implements: () => [Conflict],
  description: 'What `ifRevision` names is no longer the revision. Read it again.',
})
export class StaleRevision extends Conflict {}

@ObjectType({
  implements: () => [Conflict],
  description: 'The group changed since the plan was made, or the plan is closed or expired. Make a new plan.',
})
export class StalePlan extends Conflict {}

@ObjectType({
  implements: () => [Conflict],
  description: 'The group does not know the member any more, or at another epoch. Drop everything and join again.',
})
export class FencedMember extends Conflict {}

@ObjectType({ implements: () => [Conflict], description: 'Another member has this id or this instance id.' })
export class InstanceConflict extends Conflict {}

@ObjectType({
  implements: () => [Conflict],
  description: 'The group takes no such member now: it is full, or read-only.',
})
export class GroupClosed extends Conflict {}

@ObjectType({ implements: () => [Conflict], description: 'It still has something in it.' })
export class NotEmpty extends Conflict {}

const TYPES: ReadonlyMap<string, Type<Conflict>> = new Map<string, Type<Conflict>>([
  ['STALE_REVISION', StaleRevision],
  ['STALE_PLAN', StalePlan],
  ['PLAN_CLOSED', StalePlan],
  ['PLAN_EXPIRED', StalePlan],
  ['PLAN_NOT_APPLICABLE', StalePlan],
  ['PLAN_NOT_APPROVED', StalePlan],
  ['FENCED_MEMBER_EPOCH', FencedMember],
  ['STALE_MEMBER_EPOCH', FencedMember],
  ['ILLEGAL_GENERATION', FencedMember],
  ['UNKNOWN_MEMBER_ID', FencedMember],
  ['FENCED_INSTANCE_ID', InstanceConflict],
  ['UNRELEASED_INSTANCE_ID', InstanceConflict],
  ['MEMBER_ID_IN_USE', InstanceConflict],
  ['GROUP_MAX_SIZE_REACHED', GroupClosed],
  ['GROUP_READ_ONLY', GroupClosed],
  ['PARTITION_IN_USE', GroupClosed],
  ['NON_EMPTY_GROUP', NotEmpty],
  ['NON_EMPTY_CLUSTER', NotEmpty],
]);

/** Answers a conflict of one of these kinds as a result; every other error stays one. */
export async function orConflict<T>(work: Promise<T>, ...kinds: readonly Type<Conflict>[]): Promise<T | Conflict> {
  try {
    return await work;
  } catch (error) {
    const kind = error instanceof AllotError ? TYPES.get(error.code) : undefined;
    if (kind === undefined || !kinds.includes(kind)) throw error;
    const { code, message, action, retriable, retryAfterMs, facts } = error as AllotError;
    return Object.assign(new kind(), {
      __typename: kind.name,
      code,
      message,
      action,
      retriable,
      ...(retryAfterMs !== undefined && { retryAfterMs: Math.ceil(retryAfterMs) }),
      ...(facts !== undefined && { facts }),
    });
  }
}

/** The union of a mutation's payload and the conflicts that it must expect. */
export function resultOf<T extends object>(name: string, payload: Type<T>, ...kinds: readonly Type<Conflict>[]) {
  return createUnionType({
    name,
    types: () => [payload, ...kinds] as const,
    // What is answered again for an idempotency key has lost its class, but for a conflict, which is never kept.
    resolveType: (value: object) => ('__typename' in value ? String(value.__typename) : payload.name),
  });
}
