import type { ChangeFeed, GroupHistory } from '@allot/coordinator';
import { Controller, Get, Headers, Inject, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LIMITS } from '../config/limits.js';
import { Operation } from '../contracts/operation.js';
import { ClusterName, GroupId } from '../http/path-names.js';
import { Shutdown } from '../http/shutdown.js';
import { CHANGE_FEED, GROUP_HISTORY } from '../ports.js';
import { EventSink } from '../streams/event-sink.js';
import { COMMENTS, NDJSON, lineOf } from '../streams/frames.js';
import { ClusterNews } from './cluster-news.js';
import { ClusterFeed, GroupFeed, type Feed } from './feeds.js';
import { showEntry } from './history-view.js';
import { ChangeFeedPage, FeedQuery } from './history.contract.js';

const LONGEST_WAIT_MS = 60_000;
/** A blank line at least this often: proxies close what looks dead after 30 s and more. */
const IDLE_MS = 12_000;

const DESCRIPTION =
  'Each answer has a `cursor` to go on from. With `wait` an answer comes when there is something newer, or at the end of that time. With ' +
  'Accept: application/x-ndjson the same changes come one a line, without end; a blank line is a sign of life.';

@ApiTags('history')
@Controller('v1/clusters/:cluster')
export class ChangesController {
  constructor(
    @Inject(GROUP_HISTORY) private readonly history: GroupHistory,
    @Inject(CHANGE_FEED) private readonly feed: ChangeFeed,
    private readonly news: ClusterNews,
    private readonly shutdown: Shutdown,
  ) {}

  @Get('changes')
  @Operation({
    id: 'feedOfCluster',
    summary: 'What happened in all groups of a cluster, in an order in which nothing comes later',
    description: DESCRIPTION,
    path: ['cluster'],
    answers: { 200: { description: 'Changes, oldest first.', type: ChangeFeedPage, mediaTypes: [NDJSON] } },
    problems: ['CLUSTER_NOT_FOUND'],
  })
  async ofCluster(
    @ClusterName() cluster: string,
    @Query() query: FeedQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Headers('accept') accept?: string,
  ): Promise<void> {
    await this.#answer(query, request, reply, accept, (signal) => {
      return new ClusterFeed(this.history, this.news, cluster, signal);
    });
  }

  @Get('groups/:group/changes')
  @Operation({
    id: 'feedOfGroup',
    summary: 'What happened in a group, oldest first',
    description: DESCRIPTION,
    path: ['cluster', 'group'],
    answers: { 200: { description: 'Changes, oldest first.', type: ChangeFeedPage, mediaTypes: [NDJSON] } },
    problems: ['CLUSTER_NOT_FOUND', 'GROUP_ID_NOT_FOUND', 'REVISION_COMPACTED'],
  })
  async ofGroup(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @Query() query: FeedQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Headers('accept') accept?: string,
  ): Promise<void> {
    await this.#answer(query, request, reply, accept, (signal) => {
      return new GroupFeed(this.history, this.feed, { cluster, groupId }, signal);
    });
  }

  async #answer(
    { after, pageSize = LIMITS.defaultPageSize, wait = '0ms' }: FeedQuery,
    request: FastifyRequest,
    reply: FastifyReply,
    accept: string | undefined,
    open: (signal: AbortSignal) => Feed,
  ): Promise<void> {
    const { abort, release } = this.shutdown.link();
    const stop = () => abort.abort();
    const { socket } = request.raw;
    socket.once('close', stop);
    const feed = open(abort.signal);
    try {
      if (accept?.toLowerCase().includes(NDJSON)) await stream(feed, reply, { after, pageSize }, abort.signal);
      else await reply.send(await longPoll(feed, { after, pageSize }, readTime(wait), abort.signal));
    } finally {
      feed.close();
      release();
      socket.removeListener('close', stop);
    }
  }
}

interface From {
  readonly after: string | undefined;
  readonly pageSize: number;
}

async function longPoll(
  feed: Feed,
  { after, pageSize }: From,
  waitMs: number,
  signal: AbortSignal,
): Promise<ChangeFeedPage> {
  const deadline = performance.now() + Math.min(waitMs, LONGEST_WAIT_MS);
  let from = after;
  for (;;) {
    const { entries, position } = await feed.read(from, pageSize);
    const rest = deadline - performance.now();
    if (entries.length > 0 || rest <= 0 || signal.aborted) {
      return { items: entries.map((entry) => showEntry(entry, entry.position)), cursor: position };
    }
    from = position;
    await feed.wait(rest);
  }
}

/** The first page is read before the answer begins, so that what is wrong there is an ordinary problem. */
async function stream(feed: Feed, reply: FastifyReply, { after, pageSize }: From, signal: AbortSignal): Promise<void> {
  let page = await feed.read(after, pageSize);
  const sink = new EventSink(reply, 'ndjson', () => {});
  sink.open(reply);
  if (reply.request.method === 'HEAD') return sink.end();
  let quietSince = performance.now();
  sink.write(COMMENTS.ndjson);
  while (!signal.aborted && !sink.closed) {
    for (const entry of page.entries) {
      if (!sink.write(lineOf(showEntry(entry, entry.position)))) await drained(sink, signal);
      quietSince = performance.now();
    }
    if (page.entries.length === 0) await feed.wait(IDLE_MS);
    if (performance.now() - quietSince >= IDLE_MS) {
      sink.write(COMMENTS.ndjson);
      quietSince = performance.now();
    }
    if (signal.aborted || sink.closed) break;
    try {
      page = await feed.read(page.position, pageSize);
    } catch {
      // The group is gone, or the database is away: the reader comes back with its cursor and is told.
      break;
    }
  }
  sink.end();
}

/** Resolves when the reader has taken what was written, or is gone. */
function drained(sink: EventSink, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      signal.removeEventListener('abort', done);
      resolve();
    };
    signal.addEventListener('abort', done);
    sink.whenDrained(done);
  });
}

function readTime(text: string): number {
  return text.endsWith('ms') ? Number(text.slice(0, -2)) : Number(text.slice(0, -1)) * 1000;
}
