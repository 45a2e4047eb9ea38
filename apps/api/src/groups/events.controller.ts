import {
  asConsumerGroup,
  type GroupReading,
  type GroupRef,
  type GroupStore,
  type StreamLeases,
} from '@allot/coordinator';
import { invalidRequest } from '@allot/model';
import { Body, Controller, Get, Headers, Inject, Post, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiPropertyOptional, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Operation } from '../contracts/operation.js';
import { ClusterName, GroupId, MemberId } from '../http/path-names.js';
import { GROUP_STORE, STREAM_LEASES } from '../ports.js';
import { EVENT_STREAM, NDJSON, wireFormatOf } from '../streams/frames.js';
import { hasReached, LeaseAnswer, LeaseRequest, refusedLease, unknownMember } from '../streams/lease.contract.js';
import { StreamHub, type StreamRequest } from '../streams/stream-hub.js';
import { Absent, QueryInteger } from '../validation/rules.js';
import { GroupEvents, MemberEvents } from './event-views.js';
import { showRenewal } from './group-view.js';
import { readGroup } from './read-group.js';

/** A member that listens is called so often within a session: one call may be lost without harm. */
const CALLS_PER_SESSION = 3;

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

export class MemberEventsQuery extends EventsQuery {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: 2 ** 31 - 1,
    description:
      "Makes the stream the member's lease: the `memberEpoch` of its last answer. `lease` events then come, and each that is answered keeps the session.",
  })
  @Absent()
  @QueryInteger(1, 2 ** 31 - 1)
  memberEpoch?: number;
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
    @Inject(STREAM_LEASES) private readonly leases: StreamLeases,
    private readonly hub: StreamHub,
  ) {}

  @Get('events')
  @LAST_EVENT_ID
  @Operation({
    id: 'streamGroup',
    summary: "A group's changes as they happen",
    description:
      'Server-Sent Events, or one JSON document a line with Accept: application/x-ndjson. The first event is a `snapshot`; then each ' +
      'revision is one event: `assignment`, `member`, `group`, `rebalance.started` or `rebalance.completed`. The id is the revision. A ' +
      'reader that is too slow gets another `snapshot` instead of what it missed.',
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
    const request = { ...resumeAfter(query, lastEventId), view: new GroupEvents(ref), format: wireFormatOf(accept) };
    await this.hub.open(ref, reply, request);
  }

  @Get('members/:member/events')
  @LAST_EVENT_ID
  @Operation({
    id: 'streamMember',
    summary: "A member's own changes as they happen; with `memberEpoch` also its lease",
    description:
      'As the stream of the group, with what concerns this member alone; a `bookmark` stands for the rest. An event tells the member to ' +
      'send a heartbeat now. With `memberEpoch` no other heartbeats are needed: `lease` events come several times a session, and each ' +
      'that is answered (see `answerLease`) keeps the session. An open stream that is not answered keeps nothing. The stream ends when ' +
      'the member is no longer in the group.',
    path: ['cluster', 'group', 'member'],
    answers: { 200: { description: 'Events until the member is gone.', mediaTypes: [EVENT_STREAM, NDJSON] } },
    problems: [
      'CLUSTER_NOT_FOUND',
      'GROUP_ID_NOT_FOUND',
      'UNKNOWN_MEMBER_ID',
      'FENCED_MEMBER_EPOCH',
      'REVISION_COMPACTED',
    ],
  })
  async member(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @MemberId() memberId: string,
    @Query() query: MemberEventsQuery,
    @Res() reply: FastifyReply,
    @Headers('last-event-id') lastEventId?: string,
    @Headers('accept') accept?: string,
  ): Promise<void> {
    const ref = { cluster, groupId };
    const reading = await readGroup(this.store, ref);
    const member = reading.group.members.get(memberId);
    if (member === undefined) throw unknownMember(memberId);
    const lease = leaseOf(reading, memberId, query.memberEpoch);
    const request = { ...resumeAfter(query, lastEventId), ...lease, format: wireFormatOf(accept) };
    await this.hub.open(ref, reply, { ...request, view: new MemberEvents(memberId) });
  }

  @Post('members/:member/lease')
  @Operation({
    id: 'answerLease',
    summary: 'Answer a `lease` event of the stream, which keeps the session',
    description:
      'The session then runs from when the event was written, not from this call: what the member has not read extends nothing. The ' +
      'answer says where the member stands; when that is not where it thinks it is, it sends a heartbeat.',
    path: ['cluster', 'group', 'member'],
    body: { type: LeaseRequest, example: { memberEpoch: 1, token: '1764547200000' } },
    answers: { 200: { description: 'How long the session lasts now.', type: LeaseAnswer } },
    problems: ['CLUSTER_NOT_FOUND', 'GROUP_ID_NOT_FOUND', 'UNKNOWN_MEMBER_ID', 'FENCED_MEMBER_EPOCH'],
  })
  async answerLease(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @MemberId() memberId: string,
    @Body() { memberEpoch, token }: LeaseRequest,
  ): Promise<LeaseAnswer> {
    const ref: GroupRef = { cluster, groupId };
    const renewal = await this.leases.answer({ ref, memberId, memberEpoch, shownAt: Number(token) });
    if (renewal !== undefined) return showRenewal(renewal);
    const { group } = await readGroup(this.store, ref);
    throw refusedLease(memberId, memberEpoch, asConsumerGroup(group)!.members.get(memberId));
  }
}

function leaseOf(
  { group, now }: GroupReading,
  memberId: string,
  claimed: number | undefined,
): Pick<StreamRequest, 'lease'> {
  if (claimed === undefined) return {};
  const member = asConsumerGroup(group)!.members.get(memberId);
  if (!hasReached(member, claimed)) throw refusedLease(memberId, claimed, member);
  return { lease: { everyMs: Math.floor(group.settings.sessionTimeoutMs / CALLS_PER_SESSION), shownAt: now } };
}

/** @throws AllotError INVALID_REQUEST when Last-Event-ID is no revision. */
function resumeAfter({ sinceRevision }: EventsQuery, lastEventId: string | undefined): { readonly since?: number } {
  if (lastEventId === undefined || lastEventId === '')
    return sinceRevision === undefined ? {} : { since: sinceRevision };
  if (/^\d{1,15}$/.test(lastEventId)) return { since: Number(lastEventId) };
  const detail = 'must be the id of an event of this stream, a whole number';
  throw invalidRequest(`Last-Event-ID ${detail}.`, [{ pointer: 'Last-Event-ID', detail }]);
}
