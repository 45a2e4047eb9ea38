import type { ChangeFeed, GroupChange, GroupRef, GroupStore } from '@allot/coordinator';
import { AllotError, invalidRequest } from '@allot/model';
import { Controller, Get, Headers, Inject, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiPropertyOptional, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Operation } from '../contracts/operation.js';
import { ClusterName, GroupId, MemberId } from '../http/path-names.js';
import { Shutdown } from '../http/shutdown.js';
import { CHANGE_FEED, GROUP_STORE } from '../ports.js';
import { EVENT_STREAM, NDJSON, sendEvents, wireFormatOf, type WireEvent } from '../streams/event-stream.js';
import { followGroup, type StreamEvent, type StreamOptions } from '../streams/group-stream.js';
import { Absent, QueryInteger } from '../validation/rules.js';
import { showChange, showMemberSnapshot } from './change-view.js';
import { showGroup } from './group-view.js';
import { readGroup } from './read-group.js';

/** Comments at least this often; proxies close what looks dead after 30 s and more. */
const IDLE_MS = 12_000;

export class EventsQuery {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    description: 'As Last-Event-ID, for those who cannot set headers.',
  })
  @Absent()
  @QueryInteger(0, Number.MAX_SAFE_INTEGER)
  sinceRevision?: number;
}

const LAST_EVENT_ID = ApiHeader({
  name: 'Last-Event-ID',
  required: false,
  schema: { type: 'string', pattern: '^\\d{1,15}$' },
  description: 'The id of the last event seen; the stream goes on after it.',
});

@ApiTags('streams')
@Controller('v1/clusters/:cluster/groups/:group')
export class EventsController {
  constructor(
    @Inject(GROUP_STORE) private readonly store: GroupStore,
    @Inject(CHANGE_FEED) private readonly feed: ChangeFeed,
    private readonly shutdown: Shutdown,
  ) {}

  @Get('events')
  @LAST_EVENT_ID
  @Operation({
    id: 'streamGroup',
    summary: "A group's changes as they happen",
    description:
      'Server-Sent Events, or one JSON document a line with Accept: application/x-ndjson. The first event is a `snapshot`; then each ' +
      'revision is one event: `assignment`, `member`, `group`, `rebalance.started` or `rebalance.completed`. The id is the revision.',
    path: ['cluster', 'group'],
    answers: { 200: { description: 'Events without end.', mediaTypes: [EVENT_STREAM, NDJSON] } },
    problems: ['CLUSTER_NOT_FOUND', 'GROUP_ID_NOT_FOUND', 'REVISION_COMPACTED'],
  })
  async group(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @Query() query: EventsQuery,
    @Res() reply: FastifyReply,
    @Headers('last-event-id') lastEventId?: string,
    @Headers('accept') accept?: string,
  ): Promise<void> {
    const ref = { cluster, groupId };
    await this.#send(ref, reply, accept, readSince(query, lastEventId), (event) => showGroupEvent(ref, event));
  }

  @Get('members/:member/events')
  @LAST_EVENT_ID
  @Operation({
    id: 'streamMember',
    summary: "A member's own changes as they happen",
    description:
      'As the stream of the group, with what concerns this member alone. An event tells the member to send a heartbeat now: only ' +
      'heartbeats move its epoch and keep its session. The stream ends when the member is no longer in the group.',
    path: ['cluster', 'group', 'member'],
    answers: { 200: { description: 'Events until the member is gone.', mediaTypes: [EVENT_STREAM, NDJSON] } },
    problems: ['CLUSTER_NOT_FOUND', 'GROUP_ID_NOT_FOUND', 'UNKNOWN_MEMBER_ID', 'REVISION_COMPACTED'],
  })
  async member(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @MemberId() memberId: string,
    @Query() query: EventsQuery,
    @Res() reply: FastifyReply,
    @Headers('last-event-id') lastEventId?: string,
    @Headers('accept') accept?: string,
  ): Promise<void> {
    const ref = { cluster, groupId };
    const { group } = await readGroup(this.store, ref);
    if (!group.members.has(memberId)) throw unknownMember(memberId);
    const concerns = (change: GroupChange) => change.members.some((member) => member.memberId === memberId);
    const show = (event: StreamEvent) => showMemberEvent(memberId, event);
    await this.#send(ref, reply, accept, readSince(query, lastEventId), show, concerns);
  }

  async #send(
    ref: GroupRef,
    reply: FastifyReply,
    accept: string | undefined,
    since: number | undefined,
    show: (event: StreamEvent) => WireEvent | undefined,
    wants?: StreamOptions['wants'],
  ): Promise<void> {
    const { abort, release } = this.shutdown.link();
    const events = followGroup(this.store, this.feed, ref, {
      ...(since !== undefined && { since }),
      ...(wants !== undefined && { wants }),
      signal: abort.signal,
      idleMs: IDLE_MS,
    });
    try {
      await sendEvents(reply, wireFormatOf(accept), showAll(events, show), abort);
    } finally {
      release();
    }
  }
}

/** Events in their wire form; the stream of a member ends with the member. */
async function* showAll(
  events: AsyncGenerator<StreamEvent, void, void>,
  show: (event: StreamEvent) => WireEvent | undefined,
): AsyncGenerator<WireEvent | undefined, void, void> {
  for await (const event of events) {
    const shown = show(event);
    yield shown;
    if (shown?.name === 'removed') return;
  }
}

function showGroupEvent(ref: GroupRef, event: StreamEvent): WireEvent | undefined {
  switch (event.type) {
    case 'idle':
      return undefined;
    case 'snapshot':
      return { name: 'snapshot', revision: event.revision, data: showGroup(ref, event.reading) };
    case 'change':
      return { name: event.change.kind, revision: event.revision, data: showChange(event.change) };
    default:
      return { name: event.type, revision: event.revision, data: { revision: event.revision } };
  }
}

function showMemberEvent(memberId: string, event: StreamEvent): WireEvent | undefined {
  const removed = { name: 'removed', revision: 'revision' in event ? event.revision : 0, data: { memberId } };
  switch (event.type) {
    case 'snapshot': {
      const data = showMemberSnapshot(memberId, event.reading);
      return data === undefined ? removed : { name: 'snapshot', revision: event.revision, data };
    }
    case 'change': {
      const data = showChange(event.change, memberId);
      if (data.members.some(({ removed }) => removed))
        return { ...removed, data: { ...removed.data, cause: data.cause } };
      return { name: event.change.kind, revision: event.revision, data };
    }
    case 'deleted':
      return removed;
    default:
      return showGroupEvent({ cluster: '', groupId: '' }, event);
  }
}

/** @throws AllotError INVALID_REQUEST when Last-Event-ID is no revision. */
function readSince({ sinceRevision }: EventsQuery, lastEventId: string | undefined): number | undefined {
  if (lastEventId === undefined || lastEventId === '') return sinceRevision;
  if (/^\d{1,15}$/.test(lastEventId)) return Number(lastEventId);
  const detail = 'must be the id of an event of this stream, a whole number';
  throw invalidRequest(`Last-Event-ID ${detail}.`, [{ pointer: 'Last-Event-ID', detail }]);
}

function unknownMember(memberId: string): AllotError {
  return new AllotError('UNKNOWN_MEMBER_ID', `The group has no member ${memberId}. Join again.`, { action: 'rejoin' });
}
