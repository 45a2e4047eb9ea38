import type {
  ClassicGroup,
  ClassicMember,
  ConsumerGroup,
  ConsumerMember,
  Group,
  GroupChange,
  GroupSettings,
  OwnedPartitions,
} from '@allot/coordinator';

export const SETTINGS: GroupSettings = {
  type: 'consumer',
  assignors: ['range'],
  sessionTimeoutMs: 45_000,
  heartbeatIntervalMs: 5_000,
  rebalanceTimeoutMs: 60_000,
  maxSize: 1_000,
  assignmentIntervalMs: 0,
};

/** `{orders: {0: 3}}`: orders-0, held since group epoch 3. */
export function owned(topics: Record<string, Record<number, number>>): OwnedPartitions {
  return new Map(
    Object.entries(topics).map(([topic, partitions]) => [
      topic,
      new Map(Object.entries(partitions).map(([partition, epoch]) => [Number(partition), epoch])),
    ]),
  );
}

export function member(memberId: string, fields: Partial<ConsumerMember> = {}): ConsumerMember {
  return {
    memberId,
    subscription: { topics: ['orders'] },
    rebalanceTimeoutMs: 60_000,
    memberEpoch: 1,
    previousMemberEpoch: 0,
    state: 'STABLE',
    assigned: new Map(),
    pendingRevocation: new Map(),
    target: new Map(),
    joinOrder: 0,
    ...fields,
  };
}

export function group(fields: Partial<ConsumerGroup> = {}, members: readonly ConsumerMember[] = []): ConsumerGroup {
  return {
    settings: SETTINGS,
    source: 'live',
    revision: 1,
    groupEpoch: 1,
    assignmentEpoch: 1,
    catalogRevision: 1,
    subscribedTopics: new Map(),
    members: new Map(members.map((each) => [each.memberId, each])),
    nextJoinOrder: members.length,
    ...fields,
  };
}

export function changeOf(after: Group, fields: Partial<GroupChange> = {}): GroupChange {
  return {
    revision: after.revision,
    at: 1_700_000_000_123,
    kind: 'member',
    cause: 'member-joined',
    origin: { actor: 'test' },
    state: 'STABLE',
    groupEpoch: after.groupEpoch,
    assignmentEpoch: after.assignmentEpoch,
    members: [],
    ...fields,
  };
}

/** The next revision of `before` with these members set or, where undefined, removed. */
export function next(
  group: Group,
  members: Readonly<Record<string, ConsumerMember | undefined>> = {},
  fields: Partial<ConsumerGroup> = {},
): ConsumerGroup {
  const before = group as ConsumerGroup;
  const all = new Map(before.members);
  for (const [memberId, each] of Object.entries(members)) {
    if (each === undefined) all.delete(memberId);
    else all.set(memberId, each);
  }
  return { ...before, revision: before.revision + 1, members: all, ...fields };
}

export function classicMember(memberId: string, fields: Partial<ClassicMember> = {}): ClassicMember {
  return {
    memberId,
    subscription: { topics: ['orders'] },
    sessionTimeoutMs: 6_000,
    rebalanceTimeoutMs: 60_000,
    protocols: [{ name: 'range' }],
    cooperative: false,
    state: 'SYNCED',
    memberEpoch: 1,
    assigned: new Map(),
    pendingRevocation: new Map(),
    target: new Map(),
    joinOrder: 1,
    ...fields,
  };
}

export function classicGroup(fields: Partial<ClassicGroup> = {}, members: readonly ClassicMember[] = []): ClassicGroup {
  return {
    settings: { ...SETTINGS, type: 'classic' },
    source: 'live',
    revision: 1,
    groupEpoch: 1,
    assignmentEpoch: 1,
    catalogRevision: 1,
    subscribedTopics: new Map(),
    members: new Map(members.map((each) => [each.memberId, each])),
    nextJoinOrder: members.length + 1,
    phase: 'STABLE',
    pending: [],
    ...fields,
  };
}
