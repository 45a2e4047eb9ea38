import type { GroupRef, GroupStore } from '@allot/coordinator';
import { AllotError } from '@allot/model';
import { Inject } from '@nestjs/common';
import { Args, ArgsType, Context, Field, Parent, ResolveField, Resolver, Subscription } from '@nestjs/graphql';
import { LIMITS } from '../config/limits.js';
import { ClusterArgs } from '../graphql/cluster-args.js';
import { liveSource, type EventSource } from '../graphql/live-source.js';
import { RequestContext } from '../graphql/request-context.js';
import { SafeInt } from '../graphql/safe-int.js';
import { Shutdown } from '../http/shutdown.js';
import { GROUP_STORE } from '../ports.js';
import { followGroup, type GroupNews } from '../streams/follow-group.js';
import type { GroupTail } from '../streams/group-tail.js';
import { GroupTails } from '../streams/group-tails.js';
import { Integer, Name, Nullable } from '../validation/rules.js';
import { GroupEvent, type GroupEventNode, GroupRevision, showRevision, showSnapshot } from './group-event.contract.js';
import { GroupSummary } from './group.contract.js';
import type { GroupNode } from './group-node.js';
import { wholeGroups } from './groups.resolver.js';

/** Between two looks at whether the client is still there; transports have signs of life of their own. */
const IDLE_MS = 60_000;

@ArgsType()
class GroupEventArgs extends ClusterArgs {
  @Field(() => String, { description: 'Id of the group.' })
  @Name(LIMITS.nameLength)
  group!: string;

  @Field(() => SafeInt, {
    nullable: true,
    description:
      'The last revision that was seen: what came after it follows, without a gap. Absent: a snapshot first.',
  })
  @Nullable()
  @Integer(0, Number.MAX_SAFE_INTEGER)
  sinceRevision?: number | null;
}

@Resolver(() => GroupRevision)
export class GroupEventsResolver {
  constructor(
    @Inject(GROUP_STORE) private readonly store: GroupStore,
    private readonly tails: GroupTails,
    private readonly shutdown: Shutdown,
  ) {}

  @Subscription(() => GroupEvent, {
    description:
      'The changes of a group as they are committed, on whichever replica: a snapshot, then each revision once. A client that resumes ' +
      'misses and repeats nothing, or is given a snapshot where what it missed is no longer kept.',
    resolve: (event: GroupEventNode) => event,
  })
  groupChanged(@Args() { cluster, group, sinceRevision }: GroupEventArgs): Promise<EventSource<GroupEventNode>> {
    const ref = { cluster, groupId: group };
    return liveSource(this.shutdown, (signal) => this.#events(ref, sinceRevision ?? undefined, signal));
  }

  @ResolveField(() => GroupSummary, {
    nullable: true,
    description: 'The group as it is now, maybe newer; null: deleted.',
  })
  async groupNow(
    @Parent() { cluster, groupId }: GroupRevision,
    @Context() context: RequestContext,
  ): Promise<GroupNode | null> {
    return (await wholeGroups(context, this.store, cluster).load(groupId)) ?? null;
  }

  async *#events(
    ref: GroupRef,
    since: number | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<GroupEventNode | undefined, void, void> {
    const { tail, release } = this.tails.acquire(ref);
    try {
      if (since === undefined) return yield* this.#follow(ref, tail, 'START', { signal });
      try {
        yield* this.#follow(ref, tail, 'BEHIND', { since, signal });
      } catch (error) {
        if (!(error instanceof AllotError) || error.code !== 'REVISION_COMPACTED') throw error;
        yield* this.#follow(ref, tail, 'COMPACTED', { signal });
      }
    } finally {
      release();
    }
  }

  /** `because`: what a snapshot is for that comes first. */
  async *#follow(
    ref: GroupRef,
    tail: GroupTail,
    because: string,
    options: { readonly since?: number; readonly signal: AbortSignal },
  ): AsyncGenerator<GroupEventNode | undefined, void, void> {
    for await (const event of followGroup(tail, { ...options, idleMs: IDLE_MS })) {
      yield show(ref, event, because);
      because = 'BEHIND';
    }
  }
}

function show(ref: GroupRef, event: GroupNews, because: string): GroupEventNode | undefined {
  switch (event.type) {
    case 'snapshot':
      return { __typename: 'GroupSnapshot', ...showSnapshot(ref, event.reading, because) };
    case 'change':
      return { __typename: 'GroupRevision', ...showRevision(ref, event.change) };
    case 'deleted':
      return { __typename: 'GroupDeleted', revision: event.revision, groupId: ref.groupId };
    default:
      return undefined;
  }
}
