import type { ChangeFeed, Group, GroupRef, GroupStore } from '@allot/coordinator';
import { invalidRequest } from '@allot/model';
import { Controller, Get, Headers, Inject, Query, Req, Res } from '@nestjs/common';
import { ApiPropertyOptional, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { IntField, SafeIntField, TextListField } from '../contracts/fields.js';
import { Operation } from '../contracts/operation.js';
import { ClusterName, GroupId } from '../http/path-names.js';
import { notModified } from '../http/preconditions.js';
import { Shutdown } from '../http/shutdown.js';
import { CHANGE_FEED, GROUP_STORE } from '../ports.js';
import { Hint } from '../streams/hint.js';
import { Absent, Name, OneOf, Pattern, QueryInteger } from '../validation/rules.js';
import { ASSIGNMENT_SCHEMA, AssignmentField } from './assignment.contract.js';
import { viewByMember, viewByPartition, type AssignmentView } from './assignment-view.js';
import { readGroup } from './read-group.js';

const LONGEST_WAIT_MS = 60_000;
const OWNER = { type: ['string', 'null'], description: 'Member id; null: nobody.' };

export class AssignmentQuery {
  @ApiPropertyOptional({ type: 'string', enum: ['byMember', 'byPartition'], default: 'byMember' })
  @Absent()
  @OneOf(['byMember', 'byPartition'])
  view?: 'byMember' | 'byPartition';

  @ApiPropertyOptional({ type: 'string', description: 'Only these members: ids separated by commas.' })
  @Absent()
  @Name(100_000)
  members?: string;

  @ApiPropertyOptional({ type: 'string', description: 'Only these topics: names separated by commas.' })
  @Absent()
  @Name(100_000)
  topics?: string;

  @ApiPropertyOptional({
    type: 'string',
    pattern: '^\\d{1,5}(ms|s)$',
    description: `Wait so long for a revision above \`revision\`, as in 30s or 500ms, at most ${LONGEST_WAIT_MS / 1000}s. Without one: 304.`,
  })
  @Absent()
  @Pattern(/^\d{1,5}(ms|s)$/, 'must be a time such as 30s or 500ms')
  wait?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 0, description: 'The revision that the caller has.' })
  @Absent()
  @QueryInteger(0, Number.MAX_SAFE_INTEGER)
  revision?: number;
}

export class AssignmentAnswer {
  @SafeIntField('Rises with every change; the ETag.', { example: 7 })
  revision!: number;

  @IntField('Rises when a new target is needed.', { example: 3 })
  groupEpoch!: number;

  @IntField('The group epoch for which the target was computed.', { example: 3 })
  assignmentEpoch!: number;

  @ApiPropertyOptional({
    type: 'object',
    description: 'By member id, in `view=byMember`.',
    additionalProperties: {
      type: 'object',
      required: ['current', 'target'],
      properties: { current: ASSIGNMENT_SCHEMA, target: ASSIGNMENT_SCHEMA, revoking: ASSIGNMENT_SCHEMA },
    },
  } as never)
  members?: AssignmentView['members'];

  @ApiPropertyOptional({
    type: 'object',
    description: 'By topic, in `view=byPartition`.',
    additionalProperties: {
      type: 'array',
      items: {
        type: 'object',
        required: ['partition', 'current', 'target'],
        properties: {
          partition: { type: 'integer' },
          current: OWNER,
          target: OWNER,
          assignmentEpoch: { type: 'integer', description: 'The epoch at which `current` got it.' },
          revoking: { type: 'string', description: 'Who still has to give it up.' },
        },
      },
    },
  } as never)
  partitions?: AssignmentView['partitions'];

  @AssignmentField('Partitions that nobody may work on right now.')
  unowned!: AssignmentView['unowned'];

  @TextListField('Members without any partition in the target.')
  idle!: readonly string[];
}

@ApiTags('groups')
@Controller('v1/clusters/:cluster/groups/:group/assignment')
export class AssignmentController {
  constructor(
    @Inject(GROUP_STORE) private readonly store: GroupStore,
    @Inject(CHANGE_FEED) private readonly feed: ChangeFeed,
    private readonly shutdown: Shutdown,
  ) {}

  @Get()
  @Operation({
    id: 'getAssignment',
    summary: 'Who owns what, now and in the target; can wait for a change',
    path: ['cluster', 'group'],
    answers: {
      200: { description: 'The assignment.', type: AssignmentAnswer },
      304: { description: 'Nothing newer than If-None-Match, or than `revision` within `wait`.' },
    },
    problems: ['CLUSTER_NOT_FOUND', 'GROUP_ID_NOT_FOUND'],
  })
  async get(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @Query() query: AssignmentQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Headers('if-none-match') ifNoneMatch?: string,
  ): Promise<AssignmentAnswer | undefined> {
    const group = await this.#readNewer({ cluster, groupId }, query, request);
    const { revision } = group;
    const known = query.wait !== undefined && revision <= query.revision! ? `"${revision}"` : ifNoneMatch;
    if (notModified(reply, known, revision)) return undefined;
    const filter = { ...listed('members', query.members), ...listed('topics', query.topics) };
    return query.view === 'byPartition' ? viewByPartition(group, filter) : viewByMember(group, filter);
  }

  /** The group, newer than the caller's revision if the caller waits long enough. */
  async #readNewer(ref: GroupRef, { wait, revision }: AssignmentQuery, request: FastifyRequest): Promise<Group> {
    if (wait === undefined) return (await readGroup(this.store, ref)).group;
    if (revision === undefined) {
      const detail = 'is missing: say which revision you have, so that the answer can wait for a newer one';
      throw invalidRequest(`revision ${detail}.`, [{ pointer: 'revision', detail }]);
    }
    const deadline = performance.now() + Math.min(readTime(wait), LONGEST_WAIT_MS);
    const { abort, release } = this.shutdown.link();
    const stop = () => abort.abort();
    request.raw.socket.once('close', stop);
    const hint = new Hint((wake) => this.feed.watch(ref, wake), abort.signal);
    try {
      for (;;) {
        hint.reset();
        const { group } = await readGroup(this.store, ref);
        const rest = deadline - performance.now();
        if (group.revision > revision || rest <= 0 || abort.signal.aborted) return group;
        await hint.wait(rest);
      }
    } finally {
      hint.close();
      release();
      request.raw.socket.removeListener('close', stop);
    }
  }
}

function readTime(text: string): number {
  return text.endsWith('ms') ? Number(text.slice(0, -2)) : Number(text.slice(0, -1)) * 1000;
}

function listed(name: 'members' | 'topics', text: string | undefined): { members?: Set<string>; topics?: Set<string> } {
  return text === undefined ? {} : { [name]: new Set(text.split(',')) };
}
