import type { AssignmentJson } from '@allot/model';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { LIMITS } from '../config/limits.js';
import { ASSIGNMENT_SCHEMA, AssignmentOf, complainAboutAssignment } from '../groups/assignment.contract.js';
import { DAY_MS } from '../groups/group-rules.js';
import { SubscriptionRequest } from '../groups/member.contract.js';
import {
  Absent,
  complainAboutEach,
  complainAboutName,
  inside,
  Integer,
  Name,
  Nested,
  NestedList,
  OneOf,
  rule,
  show,
  splitComplaint,
} from '../validation/rules.js';

const NAME = { type: 'string', minLength: 1, maxLength: LIMITS.nameLength } as const;
const USER_DATA = { type: 'string', maxLength: LIMITS.userDataLength, description: 'Opaque, base64.' } as const;
const INT = 2 ** 31 - 1;
const MOST_PROTOCOLS = 20;

/** How long a request may wait; nothing but time is lost when it ends without an answer. */
abstract class ParkedRequest {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: LIMITS.longestWaitMs,
    default: 30_000,
    description:
      'How long the answer may take. When the group is not that far by then, the answer is 202; send the same request again, to any replica.',
  })
  @Absent()
  @Integer(0, LIMITS.longestWaitMs)
  timeoutMs?: number;
}

export class ClassicJoinRequest extends ParkedRequest {
  @ApiPropertyOptional({
    ...NAME,
    description: 'Absent in the first request; the answer `MEMBER_ID_REQUIRED` has it.',
  })
  @Absent()
  @Name()
  memberId?: string;

  @ApiPropertyOptional({
    ...NAME,
    description:
      'While `memberId` is absent: an id of the client’s own making, never used before (a UUID), so that the first request can be sent again ' +
      'and does not make another member. The service makes one when absent.',
  })
  @Absent()
  @Name()
  newMemberId?: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description:
      'The highest `revision` that the client was told, in an answer or a problem; 0 before the first. By it a request that was given up and ' +
      'arrives late is known, and frees nothing that the member has been given since. Absent: what is said counts as said now.',
    example: 7,
  })
  @Absent()
  @Integer(0, Number.MAX_SAFE_INTEGER)
  revision?: number;

  @ApiPropertyOptional({ ...NAME, description: 'Makes the member static (group.instance.id).' })
  @Absent()
  @Name()
  instanceId?: string;

  @ApiPropertyOptional({ ...NAME, description: 'What the client calls itself; member ids begin with it.' })
  @Absent()
  @Name()
  clientId?: string;

  @ApiPropertyOptional({ ...NAME, description: 'Rack of the member (client.rack).' })
  @Absent()
  @Name()
  rackId?: string;

  @ApiProperty({
    type: () => SubscriptionRequest,
    description: 'What the member reads: topics, or a pattern, or both.',
  })
  @Nested(() => SubscriptionRequest)
  subscription!: SubscriptionRequest;

  @ApiPropertyOptional({
    type: 'array',
    maxItems: MOST_PROTOCOLS,
    items: {
      oneOf: [NAME, { type: 'object', required: ['name'], properties: { name: NAME, userData: USER_DATA } }],
    },
    description: "Assignors that the member supports, in order of preference; the group's when absent.",
    example: ['cooperative-sticky'],
  } as never)
  @Absent()
  @rule({ name: 'protocols', complain: complainAboutProtocols })
  protocols?: (string | { name: string; userData?: string })[];

  @ApiPropertyOptional({
    type: 'string',
    enum: ['EAGER', 'COOPERATIVE'],
    description:
      'EAGER: the member gives everything up when it joins. COOPERATIVE: it keeps what it is not told to give up. When absent, COOPERATIVE if all ' +
      'of its protocols are.',
  })
  @Absent()
  @OneOf(['EAGER', 'COOPERATIVE'])
  rebalanceProtocol?: 'EAGER' | 'COOPERATIVE';

  @ApiPropertyOptional({
    ...ASSIGNMENT_SCHEMA,
    description: 'What the member holds. Absent means unknown, never nothing.',
  } as never)
  @Absent()
  @AssignmentOf()
  owned?: AssignmentJson;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: -1,
    maximum: INT,
    default: -1,
    description: 'The generation in which it was given `owned`.',
  })
  @Absent()
  @Integer(-1, INT)
  generation?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: DAY_MS,
    description: "The group's when absent; refused when the service does not allow it.",
  })
  @Absent()
  @Integer(1, DAY_MS)
  sessionTimeoutMs?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: DAY_MS,
    description: "How long others wait for this member to join again; the group's when absent.",
  })
  @Absent()
  @Integer(1, DAY_MS)
  rebalanceTimeoutMs?: number;
}

function complainAboutProtocols(value: unknown): string | undefined {
  if (!Array.isArray(value)) return `must be a list of assignors, not ${show(value)}`;
  if (value.length === 0 || value.length > MOST_PROTOCOLS) return `must have 1 to ${MOST_PROTOCOLS} assignors`;
  const names = value.map((entry: unknown) =>
    typeof entry === 'string' ? entry : (entry as { name?: unknown } | null)?.name,
  );
  if (new Set(names).size < names.length) return 'must not name an assignor twice';
  return complainAboutEach(value, (entry) => {
    if (typeof entry === 'string') return complainAboutName(entry);
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
      return `must be a name or an object, not ${show(entry)}`;
    }
    const { name, userData, ...unknown } = entry as Record<string, unknown>;
    const [other] = Object.keys(unknown);
    if (other !== undefined) return inside(`/${other}`, 'is unknown; known are name, userData');
    const complaint = complainAboutName(name);
    if (complaint !== undefined) return inside('/name', complaint);
    const about = userData === undefined ? undefined : complainAboutUserData(userData);
    return about === undefined ? undefined : inside('/userData', about);
  });
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function complainAboutUserData(value: unknown): string | undefined {
  if (typeof value !== 'string' || !BASE64.test(value)) return `must be base64, not ${show(value)}`;
  if (value.length > LIMITS.userDataLength) return `must have at most ${LIMITS.userDataLength} characters`;
  return undefined;
}

/** By member id. */
function complainAboutEntries(value: unknown, complain: (entry: unknown) => string | undefined): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return `must be an object with member ids as keys, not ${show(value)}`;
  }
  for (const [memberId, entry] of Object.entries(value)) {
    const complaint = complain(entry);
    if (complaint === undefined) continue;
    const { below, detail } = splitComplaint(complaint);
    return inside(`/${memberId.replaceAll('~', '~0').replaceAll('/', '~1')}${below}`, detail);
  }
  return undefined;
}

function complainAboutGiven(value: unknown): string | undefined {
  const complaint = complainAboutAssignment(value);
  if (complaint !== undefined) return complaint;
  for (const [topic, partitions] of Object.entries(value as AssignmentJson)) {
    if (new Set(partitions).size < partitions.length) return inside(`/${topic}`, 'names a partition twice');
  }
  return undefined;
}

/** Names a member of a generation. */
abstract class GenerationRequest extends ParkedRequest {
  @ApiProperty({ ...NAME, description: 'Id of the member.' })
  @Name()
  memberId!: string;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: INT,
    description: 'As the answer to the join said.',
    example: 1,
  })
  @Integer(0, INT)
  generation!: number;

  @ApiPropertyOptional({
    ...NAME,
    description: 'Of a static member: lets the service tell it when another process took over.',
  })
  @Absent()
  @Name()
  instanceId?: string;
}

export class ClassicSyncRequest extends GenerationRequest {
  @ApiPropertyOptional({ ...NAME, description: 'The assignor that the member believes to be agreed on.' })
  @Absent()
  @Name()
  protocol?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: ASSIGNMENT_SCHEMA,
    description: 'From the leader: member id to topic to partition numbers. Members that are left out get nothing.',
    example: { c1: { orders: [0, 1] } },
  } as never)
  @Absent()
  @rule({ name: 'assignments', complain: (value) => complainAboutEntries(value, complainAboutGiven) })
  assignments?: Record<string, AssignmentJson>;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: USER_DATA,
    description: 'From the leader: member id to what the member is told beside its partitions, opaque, base64.',
  } as never)
  @Absent()
  @rule({ name: 'userData', complain: (value) => complainAboutEntries(value, complainAboutUserData) })
  userData?: Record<string, string>;

  @ApiPropertyOptional({
    type: 'string',
    enum: ['leader', 'service'],
    description: "From the leader: who assigns this generation; as the group's settings say when absent.",
  })
  @Absent()
  @OneOf(['leader', 'service'])
  assignedBy?: 'leader' | 'service';
}

export class ClassicHeartbeatRequest {
  @ApiProperty({ ...NAME, description: 'Id of the member.' })
  @Name()
  memberId!: string;

  @ApiProperty({ type: 'integer', minimum: 0, maximum: INT, example: 1 })
  @Integer(0, INT)
  generation!: number;

  @ApiPropertyOptional({ ...NAME, description: 'Of a static member.' })
  @Absent()
  @Name()
  instanceId?: string;
}

export class LeavingMember {
  @ApiPropertyOptional({ ...NAME, description: 'Absent: whoever has the instance id.' })
  @Absent()
  @Name()
  memberId?: string;

  @ApiPropertyOptional({ ...NAME, description: 'Of a static member.' })
  @Absent()
  @Name()
  instanceId?: string;
}

export class ClassicLeaveRequest {
  @ApiProperty({
    type: () => [LeavingMember],
    minItems: 1,
    maxItems: LIMITS.groupSize,
    description:
      'Who leaves; each is answered for itself. An instance id without a member id takes a static member out.',
  })
  @NestedList(() => LeavingMember, LIMITS.groupSize, 'members', 1)
  members!: LeavingMember[];
}
