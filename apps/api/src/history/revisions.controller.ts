import type { GroupHistory } from '@allot/coordinator';
import { Controller, Get, Headers, Inject, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { LIMITS } from '../config/limits.js';
import { Operation } from '../contracts/operation.js';
import { ClusterName, GroupId, RevisionNumber } from '../http/path-names.js';
import { notModified } from '../http/preconditions.js';
import { pageRequest, toPage } from '../paging/page.js';
import { GROUP_HISTORY } from '../ports.js';
import { showDifference, showEntry, showRevision } from './history-view.js';
import { ChangePage, Revision, RevisionDifference, REVISIONS, RevisionsQuery } from './history.contract.js';

const NOT_KEPT = ['CLUSTER_NOT_FOUND', 'GROUP_ID_NOT_FOUND', 'REVISION_NOT_FOUND', 'REVISION_COMPACTED'];

@ApiTags('history')
@Controller('v1/clusters/:cluster/groups/:group/revisions')
export class RevisionsController {
  constructor(@Inject(GROUP_HISTORY) private readonly history: GroupHistory) {}

  @Get()
  @Operation({
    id: 'listRevisions',
    summary: "List a group's revisions, newest first: who did what, when and why",
    path: ['cluster', 'group'],
    answers: { 200: { description: 'Revisions, without what they gave to whom.', type: ChangePage } },
    problems: ['CLUSTER_NOT_FOUND', 'GROUP_ID_NOT_FOUND'],
  })
  async list(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @Query() query: RevisionsQuery,
  ): Promise<ChangePage> {
    const { targetsOnly = false } = query;
    const page = await this.history.list({ cluster, groupId }, pageRequest(REVISIONS, query), { targetsOnly });
    return toPage(REVISIONS, page, (entry) => showEntry(entry));
  }

  @Get(':revision')
  @Operation({
    id: 'getRevision',
    summary: 'Read a group as it was: every member with what it had and what it was to have',
    path: ['cluster', 'group', 'revision'],
    answers: {
      200: { description: 'The group as the revision left it.', type: Revision },
      304: { description: 'A revision never changes; If-None-Match names this one.' },
    },
    problems: NOT_KEPT,
  })
  async get(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @RevisionNumber() revision: number,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Headers('if-none-match') ifNoneMatch?: string,
  ): Promise<Revision | undefined> {
    const [past] = await this.history.read({ cluster, groupId }, [revision]);
    return notModified(reply, ifNoneMatch, revision) ? undefined : showRevision(groupId, past!);
  }

  @Get(':revision/diff/:to')
  @Operation({
    id: 'diffRevisions',
    summary: 'How two revisions differ: by partition, by member, and what happened in between',
    path: ['cluster', 'group', 'revision', 'to'],
    answers: { 200: { description: 'The difference.', type: RevisionDifference } },
    problems: NOT_KEPT,
  })
  async diff(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @RevisionNumber() from: number,
    @RevisionNumber('to') to: number,
  ): Promise<RevisionDifference> {
    const ref = { cluster, groupId };
    const [first, second] = await this.history.read(ref, [from, to]);
    const [older, newer] = [Math.min(from, to), Math.max(from, to)];
    const limit = Math.min(newer - older, LIMITS.pageSize);
    const changes = limit === 0 ? [] : await this.history.changesOfGroup(ref, older, limit);
    return {
      from,
      to,
      target: showDifference(first!, second!, ({ target }) => target),
      current: showDifference(first!, second!, ({ current }) => current),
      changes: changes.map((entry) => showEntry(entry)),
      ...(newer - older > limit && { moreChanges: newer - older - limit }),
    };
  }
}
