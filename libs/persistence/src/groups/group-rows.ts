import type {
  Calm,
  ConsumerGroup,
  ConsumerMember,
  Group,
  GroupFrame,
  GroupMember,
  GroupSettings,
  MemberStanding,
  MemberState,
  OwnedPartitions,
  SubscribedTopic,
} from '@allot/coordinator';
import { compareText } from '@allot/model';
import { toClassicGroup, toClassicMember, type ClassicGroupJson, type ClassicMemberJson } from './classic-rows.js';
import type { Assignment } from '@allot/model';

/** A group's own row, as `GROUP_COLUMNS` selects it. */
export interface GroupRow {
  readonly pk: bigint;
  readonly source: 'live' | 'imported';
  readonly settings: GroupSettings;
  readonly group_epoch: number;
  readonly assignment_epoch: number;
  readonly revision: number;
  readonly catalog_revision: number;
  readonly subscribed_topics: readonly (readonly [name: string, id: string, partitions: number, racks?: string])[];
  readonly next_join_order: number;
  /** ms since 1970 */
  readonly next_assignment_at: number | null;
  readonly assignor_fault: string | null;
  /** Null in groups of type consumer. */
  readonly classic: ClassicGroupJson | null;
  readonly calm: Calm | null;
}

/** A member's row as JSON. */
export interface MemberRow {
  readonly member_id: string;
  readonly instance_id: string | null;
  readonly rack_id: string | null;
  readonly client_id: string | null;
  readonly weight: number | null;
  readonly subscribed_topics: readonly string[];
  readonly pattern: string | null;
  readonly rebalance_timeout_ms: number;
  readonly member_epoch: number;
  readonly previous_member_epoch: number;
  readonly state: string;
  readonly target: Readonly<Record<string, readonly number[]>>;
  /** ms since 1970 */
  readonly rebalance_deadline: number | null;
  readonly granted_revision: number | null;
  readonly join_order: number;
  readonly session_timeout_ms: number | null;
  readonly classic: ClassicMemberJson | null;
  readonly standing: MemberStanding | null;
}

/** All partitions of one topic that a member holds in one way. */
export interface OwnershipRow {
  readonly member_id: string;
  readonly kind: OwnershipKind;
  readonly topic: string;
  readonly partitions: readonly number[];
  readonly epochs: readonly number[];
}

/** `assigned`: the member may work on it. `revoking`: it was told to give it up and has not yet done so. */
export type OwnershipKind = 'assigned' | 'revoking';

/** Builds the group from its rows. Members come in the order in which they joined, topics in code unit order. */
export function toGroup(row: GroupRow, members: readonly MemberRow[], ownership: readonly OwnershipRow[]): Group {
  const owned = collectOwnership(ownership);
  const subscribed = row.subscribed_topics.map(([name, id, partitions, racks]): [string, SubscribedTopic] => [
    name,
    { id, partitions, ...optional('racks', racks ?? null) },
  ]);
  const { classic } = row;
  const frame: Omit<GroupFrame, 'members'> = {
    settings: row.settings,
    source: row.source,
    revision: row.revision,
    groupEpoch: row.group_epoch,
    assignmentEpoch: row.assignment_epoch,
    catalogRevision: row.catalog_revision,
    subscribedTopics: new Map(subscribed),
    nextJoinOrder: row.next_join_order,
    ...optional('assignorFault', row.assignor_fault),
  };
  const membersBy = <M>(toMember: (member: MemberRow) => M): ReadonlyMap<string, M> =>
    new Map(members.map((member) => [member.member_id, toMember(member)]));
  if (classic !== null) {
    const shown = membersBy((member) => toClassicMember(frameOf(member, owned), member.classic!));
    return toClassicGroup({ ...frame, members: shown }, classic);
  }
  return {
    ...frame,
    members: membersBy((member) => toConsumerMember(member, owned)),
    ...optional('nextAssignmentAt', row.next_assignment_at),
    ...optional('calm', row.calm),
  } satisfies ConsumerGroup;
}

type Owned = ReadonlyMap<string, ReadonlyMap<OwnershipKind, OwnedPartitions>>;

function toConsumerMember(row: MemberRow, owned: Owned): ConsumerMember {
  const { sessionTimeoutMs, ...frame } = frameOf(row, owned);
  return {
    ...frame,
    previousMemberEpoch: row.previous_member_epoch,
    state: row.state as MemberState,
    ...optional('grantedRevision', row.granted_revision),
    ...row.standing,
  };
}

function frameOf(row: MemberRow, owned: Owned): GroupMember {
  const mine = owned.get(row.member_id);
  return {
    memberId: row.member_id,
    ...optional('instanceId', row.instance_id),
    ...optional('rackId', row.rack_id),
    ...optional('clientId', row.client_id),
    ...optional('weight', row.weight),
    subscription: { topics: row.subscribed_topics, ...optional('pattern', row.pattern) },
    rebalanceTimeoutMs: row.rebalance_timeout_ms,
    ...optional('sessionTimeoutMs', row.session_timeout_ms),
    memberEpoch: row.member_epoch,
    state: row.state,
    assigned: mine?.get('assigned') ?? NOTHING,
    pendingRevocation: mine?.get('revoking') ?? NOTHING,
    target: toAssignment(row.target),
    ...optional('rebalanceDeadline', row.rebalance_deadline),
    joinOrder: row.join_order,
  };
}

const NOTHING: OwnedPartitions = new Map();

function collectOwnership(
  rows: readonly OwnershipRow[],
): Map<string, Map<OwnershipKind, Map<string, Map<number, number>>>> {
  const byMember = new Map<string, Map<OwnershipKind, Map<string, Map<number, number>>>>();
  for (const { member_id: memberId, kind, topic, partitions, epochs } of rows) {
    let kinds = byMember.get(memberId);
    if (kinds === undefined) byMember.set(memberId, (kinds = new Map()));
    let topics = kinds.get(kind);
    if (topics === undefined) kinds.set(kind, (topics = new Map()));
    topics.set(topic, new Map(partitions.map((partition, i) => [partition, epochs[i]!])));
  }
  return byMember;
}

/** jsonb keeps keys in an order of its own; an assignment has its topics in code unit order. */
function toAssignment(json: MemberRow['target']): Assignment {
  const topics = Object.keys(json).sort(compareText);
  return new Map(topics.map((topic) => [topic, json[topic]!]));
}

/** An optional property: absent rather than undefined when there is no value. */
export function optional<K extends string, V>(key: K, value: V | null): { readonly [P in K]?: V } {
  return (value === null ? {} : { [key]: value }) as { readonly [P in K]?: V };
}
