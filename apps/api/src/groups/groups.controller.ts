import {
  type Catalog,
  GroupCoordinator,
  type GroupReadModel,
  type GroupSettingsChange,
  type GroupStore,
  type Origin,
} from '@allot/coordinator';
import { Body, Controller, Delete, Get, Headers, Inject, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Operation } from '../contracts/operation.js';
import { answerWritten, MutationQuery, writeOptions } from '../http/mutation.js';
import { RequestOrigin } from '../http/origin.js';
import { ClusterName, GroupId } from '../http/path-names.js';
import { notModified, readIfMatch, requireIfMatch } from '../http/preconditions.js';
import { PageQuery, pageRequest, toPage } from '../paging/page.js';
import { GROUP_READ_MODEL, GROUP_STORE } from '../ports.js';
import { readGroup } from './read-group.js';
import { Group, GroupPage, GROUPS } from './group.contract.js';
import { GroupChange } from './group-change.contract.js';
import { showGroup, showSummary } from './group-view.js';

@ApiTags('groups')
@Controller('v1/clusters/:cluster/groups')
export class GroupsController {
  constructor(
    private readonly coordinator: GroupCoordinator,
    @Inject(GROUP_STORE) private readonly store: GroupStore,
    @Inject(GROUP_READ_MODEL) private readonly groups: GroupReadModel,
  ) {}

  @Get()
  @Operation({
    id: 'listGroups',
    summary: 'List the groups of a cluster',
    path: ['cluster'],
    answers: { 200: { description: 'Groups by id, without their members.', type: GroupPage } },
    problems: ['CLUSTER_NOT_FOUND'],
  })
  async list(@ClusterName() cluster: string, @Query() query: PageQuery): Promise<GroupPage> {
    return toPage(GROUPS, await this.groups.listGroups(cluster, pageRequest(GROUPS, query)), showSummary);
  }

  @Get(':group')
  @Operation({
    id: 'getGroup',
    summary: 'Read a group: spec, members with current and target, epochs, idle members, unowned partitions',
    path: ['cluster', 'group'],
    answers: {
      200: { description: 'The group.', type: Group },
      304: { description: 'If-None-Match names this revision.' },
    },
    problems: ['CLUSTER_NOT_FOUND', 'GROUP_ID_NOT_FOUND'],
  })
  async get(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Headers('if-none-match') ifNoneMatch?: string,
  ): Promise<Group | undefined> {
    const ref = { cluster, groupId };
    const reading = await readGroup(this.store, ref);
    return notModified(reply, ifNoneMatch, reading.group.revision) ? undefined : showGroup(ref, reading);
  }

  @Put(':group')
  @Operation({
    id: 'putGroup',
    summary: 'Create a group, or change how it behaves',
    description:
      'What the body leaves out stays as it is. A group is also made by the first member that joins. Another assignor gives ' +
      'the group a new target at once.',
    path: ['cluster', 'group'],
    body: {
      type: GroupChange,
      example: { type: 'consumer', assignor: 'range', sessionTimeoutMs: 45_000 },
      required: false,
    },
    answers: {
      200: { description: 'The group as it is now.', type: Group },
      201: { description: 'The new group.', type: Group },
    },
    problems: [
      'CLUSTER_NOT_FOUND',
      'GROUP_ID_NOT_FOUND',
      'UNSUPPORTED_ASSIGNOR',
      'UNSUPPORTED_KAFKA_VERSION',
      'INCONSISTENT_GROUP_PROTOCOL',
      'GROUP_READ_ONLY',
    ],
    ifMatch: 'optional',
  })
  async put(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @Body() body: GroupChange,
    @Query() query: MutationQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
    @RequestOrigin() origin: Origin,
    @Headers('if-match') ifMatch?: string,
  ): Promise<Group> {
    const ref = { cluster, groupId };
    const precondition = readIfMatch(ifMatch);
    if (precondition === 'exists') await readGroup(this.store, ref);
    const options = writeOptions(query, precondition);
    const { group, outcome, now } = await this.coordinator.putGroup(ref, readGroupChange(body), origin, options);
    answerWritten(reply, { value: group, outcome }, query);
    // A dry run that would create the group leaves nothing to read.
    const unsaved = { catalog: NO_TOPICS, leases: new Map(), now, createdAt: now, updatedAt: now };
    const reading = (await this.store.read(ref)) ?? unsaved;
    return showGroup(ref, { ...reading, group });
  }

  @Delete(':group')
  @Operation({
    id: 'deleteGroup',
    summary: 'Delete a group without members, or an imported one',
    path: ['cluster', 'group'],
    answers: { 204: { description: 'It is gone.' } },
    problems: ['CLUSTER_NOT_FOUND', 'GROUP_ID_NOT_FOUND', 'NON_EMPTY_GROUP'],
    ifMatch: 'required',
  })
  async delete(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @Query() query: MutationQuery,
    @Headers('if-match') ifMatch?: string,
  ): Promise<void> {
    await this.coordinator.deleteGroup({ cluster, groupId }, writeOptions(query, requireIfMatch(ifMatch)));
  }
}

const NO_TOPICS: Catalog = { revision: 0, topics: new Map() };

export function readGroupChange({ assignor, ...change }: GroupChange): GroupSettingsChange & { frozen?: boolean } {
  if (assignor === undefined) return change;
  return { ...change, assignors: typeof assignor === 'string' ? [assignor] : assignor };
}
