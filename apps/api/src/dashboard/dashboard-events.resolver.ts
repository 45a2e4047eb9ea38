import type { DashboardReadModel, FeedPage, FeedPosition, GroupHistory } from '@allot/coordinator';
import { Inject } from '@nestjs/common';
import { Args, ArgsType, Field, Resolver, Subscription } from '@nestjs/graphql';
import { LIMITS } from '../config/limits.js';
import { ClusterArgs } from '../graphql/cluster-args.js';
import { liveSource, type EventSource } from '../graphql/live-source.js';
import { showRebalance } from '../groups/rebalance.contract.js';
import { Shutdown } from '../http/shutdown.js';
import { ClusterNews } from '../history/cluster-news.js';
import { DASHBOARD_READ_MODEL, GROUP_HISTORY } from '../ports.js';
import { Name, Nullable, Pattern } from '../validation/rules.js';
import { ClusterOverview, RebalanceEvent, type RebalanceEventNode, showOverview } from './dashboard.contract.js';
import { SharedReads } from './shared-reads.js';

/** Changes that are read at once. */
const PAGE = 500;
/** What is no change of a group (a topic, a deletion) is seen after this. */
const LOOK_MS = 1_000;
const IDLE_MS = 60_000;
const SHARED_MS = 50;
const POSITION = /^\d{1,18}\.\d{1,18}\.\d{1,16}$/;

@ArgsType()
class RebalanceEventArgs extends ClusterArgs {
  @Field(() => String, { nullable: true, description: 'Rebalances of this group alone.' })
  @Nullable()
  @Name(LIMITS.nameLength)
  group?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The last position that was seen: what came after it follows, without a gap. Absent: what happens from now on.',
  })
  @Nullable()
  @Pattern(POSITION, 'must be the position of an event')
  sincePosition?: string | null;
}

/** What happens in a whole cluster. Reading is shared: each process looks at a cluster once, however many subscribe. */
@Resolver(() => ClusterOverview)
export class DashboardEventsResolver {
  readonly #overviews: SharedReads<ClusterOverview>;

  constructor(
    @Inject(DASHBOARD_READ_MODEL) private readonly dashboard: DashboardReadModel,
    @Inject(GROUP_HISTORY) private readonly history: GroupHistory,
    private readonly news: ClusterNews,
    private readonly shutdown: Shutdown,
  ) {
    this.#overviews = new SharedReads(async (name) => showOverview(name, await dashboard.overview(name)), SHARED_MS);
  }

  @Subscription(() => ClusterOverview, {
    description:
      'A cluster in numbers: at once, and whenever one of them or a revision of a group changed, on whichever replica. Each is the whole ' +
      'state, so a client that comes back has missed nothing.',
    resolve: (overview: ClusterOverview) => overview,
  })
  clusterOverview(@Args() { cluster }: ClusterArgs): Promise<EventSource<ClusterOverview>> {
    return liveSource(this.shutdown, (signal) => this.#overview(cluster, signal));
  }

  @Subscription(() => RebalanceEvent, {
    description:
      'Rebalances of a cluster, or of one group, as they begin, get their target and end. A client that resumes misses and repeats ' +
      'nothing, or is told so.',
    resolve: (event: RebalanceEventNode) => event,
  })
  rebalances(@Args() { cluster, group, sincePosition }: RebalanceEventArgs): Promise<EventSource<RebalanceEventNode>> {
    return liveSource(this.shutdown, (signal) =>
      this.#rebalances(cluster, group ?? undefined, sincePosition ?? undefined, signal),
    );
  }

  async *#overview(cluster: string, signal: AbortSignal): AsyncGenerator<ClusterOverview, void, void> {
    let told = '';
    while (!signal.aborted) {
      const overview = await this.#overviews.get(cluster);
      // The position moves with every transaction, whatever it was about.
      const state = JSON.stringify({ ...overview, position: '' });
      if (state !== told) yield overview;
      told = state;
      await this.news.wait(cluster, overview.position, LOOK_MS, signal);
    }
  }

  async *#rebalances(
    cluster: string,
    group: string | undefined,
    since: FeedPosition | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<RebalanceEventNode | undefined, void, void> {
    let position = since ?? (await this.#newest(cluster));
    if (since !== undefined && !(await this.dashboard.keepsSince(since))) {
      position = await this.#newest(cluster);
      yield { __typename: 'RebalancesMissed', position };
    }
    while (!signal.aborted) {
      const page = await this.history.changesOfCluster(cluster, position, PAGE);
      position = page.position;
      yield* await this.#show(cluster, group, page);
      if (page.entries.length > 0) continue;
      yield undefined;
      await this.news.wait(cluster, position, IDLE_MS, signal);
    }
  }

  async #newest(cluster: string): Promise<FeedPosition> {
    return (await this.history.changesOfCluster(cluster, 'newest', 1)).position;
  }

  async #show(cluster: string, group: string | undefined, { entries }: FeedPage): Promise<RebalanceEventNode[]> {
    const told = entries
      .map(({ ref, change, position }) => ({ ...ref, ...change, position }))
      .filter(({ rebalance, groupId }) => rebalance !== undefined && (group === undefined || groupId === group));
    if (told.length === 0) return [];
    const rebalances = await this.dashboard.rebalancesAt(cluster, told);
    return told.flatMap(({ groupId, revision, position, rebalance: mark }, i): RebalanceEventNode[] => {
      const rebalance = rebalances[i];
      // Its beginning is no longer kept, or the group is gone.
      if (rebalance === undefined) return [];
      const phase = mark?.ends === true ? 'ended' : mark?.begins === true ? 'began' : 'target';
      const shown = { cluster, groupId, position, revision, phase, rebalance: showRebalance(rebalance) };
      return [{ __typename: 'RebalanceChange', ...shown }];
    });
  }
}
