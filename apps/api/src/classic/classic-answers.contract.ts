import type { AssignmentJson } from '@allot/model';
import {
  FlagField,
  IntField,
  ListField,
  SafeIntField,
  SchemaField,
  TextField,
  TextListField,
  TimeField,
} from '../contracts/fields.js';
import { AssignmentField } from '../groups/assignment.contract.js';

/** What every answer to a member of a generation says. */
abstract class ClassicAnswer {
  @TextField('Id of the member; every later call names it.', { example: 'c1-b1c7e2c4-6a4e-4bb0-9d0a-1f1f0c2e7a11' })
  memberId!: string;

  @TextField('State of the group. More values may come.', {
    enum: ['EMPTY', 'PREPARING_REBALANCE', 'COMPLETING_REBALANCE', 'STABLE'],
    example: 'COMPLETING_REBALANCE',
  })
  state!: string;

  @SafeIntField("The group's revision.", { example: 7 })
  revision!: number;

  @IntField('The generation.', { optional: true, example: 1 })
  generation?: number;

  @TextField('The assignor that the members agreed on.', { optional: true, example: 'range' })
  protocol?: string;

  @IntField('Time between heartbeats.', { optional: true, example: 5_000 })
  heartbeatIntervalMs?: number;

  @IntField('After this silence the member is removed.', { optional: true, example: 45_000 })
  sessionTimeoutMs?: number;

  @IntField('How long others wait for this member to join again.', { optional: true, example: 300_000 })
  rebalanceTimeoutMs?: number;

  @TimeField("Until when the member may work without another answer, by the service's clock; durable.", {
    optional: true,
  })
  validUntil?: Date;

  @IntField('The same as a span: count it on a monotonic clock from when the request was sent.', {
    optional: true,
    example: 44_750,
  })
  validForMs?: number;
}

abstract class ParkedAnswer extends ClassicAnswer {
  @FlagField('Whether the group got as far as this request asks for; when not, send the same request again.')
  completed!: boolean;
}

/** A member as its leader sees it. */
export class GenerationMember {
  @TextField('Id of the member.')
  memberId!: string;

  @TextField('Of a static member.', { optional: true })
  instanceId?: string;

  @TextField('Rack of the member.', { optional: true })
  rackId?: string;

  @TextListField('Topics that the member reads, patterns resolved.', { example: ['orders'] })
  topics!: string[];

  @AssignmentField('What it says to hold, if it says so.', { optional: true })
  owned?: AssignmentJson;

  @IntField('The generation in which it was given that.', { min: -1, optional: true })
  generation?: number;

  @TextField('What it says to the assignor that was agreed on, opaque, base64.', { optional: true })
  userData?: string;
}

export class ClassicJoinAnswer extends ParkedAnswer {
  @TextField('Id of the member that leads the generation.', { optional: true })
  leader?: string;

  @ListField(() => GenerationMember, 'For the leader: who is in the generation, in the order in which they joined.', {
    optional: true,
  })
  members?: GenerationMember[];

  @SchemaField(
    'For the leader: the topics that members read, with their partition counts.',
    { type: 'object', additionalProperties: { type: 'integer' }, example: { orders: 4 } },
    () => String,
    { optional: true, only: 'rest' },
  )
  topics?: Record<string, number>;

  @FlagField('For the leader: the generation has its assignment; it need not bring one.', { optional: true })
  skipAssignment?: boolean;
}

export class ClassicSyncAnswer extends ParkedAnswer {
  @AssignmentField('What the member may work on.', { optional: true })
  assignment?: AssignmentJson;

  @AssignmentField('What the member must give up; then it joins again, without it in `owned`.', { optional: true })
  revoking?: AssignmentJson;

  @TextField('What the leader tells the member, opaque, base64.', { optional: true })
  userData?: string;
}

export class ClassicHeartbeatAnswer extends ClassicAnswer {
  @AssignmentField('What the member must give up; then it joins again, without it in `owned`.')
  revoking!: AssignmentJson;

  @TextField('continue, or rejoin: the group is rebalancing, or the member has something to give up. More may come.', {
    enum: ['continue', 'rejoin'],
    example: 'continue',
  })
  action!: string;
}

export class LeftMember {
  @TextField('As in the request.', { optional: true })
  memberId?: string;

  @TextField('As in the request.', { optional: true })
  instanceId?: string;

  @TextField('Why it has not left; absent when it has.', { optional: true, example: 'UNKNOWN_MEMBER_ID' })
  code?: string;

  @TextField('The same for people.', { optional: true })
  detail?: string;
}

export class ClassicLeaveAnswer {
  @ListField(() => LeftMember, 'In the order of the request.')
  members!: LeftMember[];
}
