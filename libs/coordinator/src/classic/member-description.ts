import { AllotError, EMPTY_ASSIGNMENT, holds, type Assignment } from '@allot/model';
import type { Subscription } from '../consumer/consumer-group.js';
import { splitOwned } from '../consumer/owned-partitions.js';
import { checkSubscription, sameSubscription } from '../consumer/subscriptions.js';
import type { ResolveAssignor } from '../consumer/target.js';
import { clampRebalanceTimeout, type GroupLimits, type GroupSettings } from '../group-settings.js';
import type { ClassicMember, MemberProtocol } from './classic-group.js';

export interface JoinCommand {
  /** Absent: the first request of a member, which gets an id. */
  readonly memberId?: string;
  readonly instanceId?: string;
  readonly clientId?: string;
  readonly rackId?: string;
  readonly weight?: number;
  readonly subscription: Subscription;
  /** In order of preference; the group's assignors when empty. */
  readonly protocols: readonly MemberProtocol[];
  readonly sessionTimeoutMs?: number;
  readonly rebalanceTimeoutMs?: number;
  /** Absent: whether all of its protocols are cooperative, as Kafka's consumer decides it. */
  readonly cooperative?: boolean;
  /** What the member holds; absent: unknown. */
  readonly owned?: Assignment;
  /** The generation in which it was given that. */
  readonly generation?: number;
  /** The id that a new member gets, made by the client or the service. It never repeats. */
  readonly newMemberId: string;
  /**
   * Of the last answer that its client had; 0 before the first. By it a request that was given up and arrives late is known. Absent: the client
   * does not say, and its requests are taken for those of this moment. A first request was sent before any answer.
   */
  readonly revision?: number;
}

const COOPERATIVE_PROTOCOLS: ReadonlySet<string> = new Set(['cooperative-sticky']);

/** What a member said of itself, in its normal form. */
export type Description = Omit<
  ClassicMember,
  | 'memberId'
  | 'instanceId'
  | 'state'
  | 'isNew'
  | 'memberEpoch'
  | 'assigned'
  | 'pendingRevocation'
  | 'target'
  | 'joinOrder'
  | 'grantedRevision'
  | 'formerIds'
  | 'conflictsWith'
> & {
  /** What it holds, which for an eager member is nothing; undefined: it is not known. */
  readonly owned: Assignment | undefined;
};

/** @throws AllotError INVALID_SESSION_TIMEOUT, INVALID_REQUEST, INVALID_REGULAR_EXPRESSION, UNSUPPORTED_ASSIGNOR */
export function describeJoin(
  command: JoinCommand,
  settings: GroupSettings,
  limits: GroupLimits,
  resolve: ResolveAssignor,
): Description {
  const { clientId, rackId, weight, owned, generation = -1 } = command;
  const saidAtRevision = revisionOf(command);
  const { minSessionTimeoutMs: least, maxSessionTimeoutMs: most } = limits;
  const sessionTimeoutMs = command.sessionTimeoutMs ?? settings.sessionTimeoutMs;
  if (sessionTimeoutMs < least || sessionTimeoutMs > most) {
    const detail = `must be from ${least} to ${most}`;
    throw new AllotError('INVALID_SESSION_TIMEOUT', `The session timeout ${detail} ms, not ${sessionTimeoutMs}.`, {
      action: 'fix-request',
      errors: [{ pointer: '/sessionTimeoutMs', detail }],
    });
  }
  const wanted = command.protocols.length > 0 ? command.protocols : settings.assignors.map((name) => ({ name }));
  const named = new Map<string, MemberProtocol>();
  for (const { name, ...rest } of wanted) {
    const known = wireName(name, settings, resolve);
    // One assignor under two of its names; what stands first counts.
    if (!named.has(known)) named.set(known, { name: known, ...rest });
  }
  const protocols = [...named.values()];
  const cooperative = command.cooperative ?? protocols.every(({ name: each }) => COOPERATIVE_PROTOCOLS.has(each));
  return {
    ...(clientId !== undefined && { clientId }),
    ...(rackId !== undefined && { rackId }),
    ...(weight !== undefined && { weight }),
    subscription: checkSubscription(command.subscription),
    sessionTimeoutMs,
    rebalanceTimeoutMs: clampRebalanceTimeout(command.rebalanceTimeoutMs ?? settings.rebalanceTimeoutMs, limits),
    protocols,
    cooperative,
    ...(owned !== undefined && { claim: { owned, generation } }),
    ...(saidAtRevision !== undefined && { saidAtRevision }),
    owned: cooperative ? owned : EMPTY_ASSIGNMENT,
  };
}

/**
 * The name under which members agree on an assignor. The leader may have one that is not known here.
 * @throws AllotError UNSUPPORTED_ASSIGNOR when the service is to run it.
 */
function wireName(name: string, { assignedBy }: GroupSettings, resolve: ResolveAssignor): string {
  try {
    return resolve(name).name;
  } catch (error) {
    if (assignedBy === 'service') throw error;
    return name;
  }
}

/** The revision that a join was sent at, undefined when its client does not say. */
export function revisionOf({ memberId, revision }: JoinCommand): number | undefined {
  return memberId === undefined ? 0 : revision;
}

/**
 * What may be believed of a join. One that was sent before its member could know of the last thing that it was told to work on
 * says nothing of what the member holds, be it eager: the request is late, or the answer was lost, and nobody can tell which.
 */
export function believable(
  { grantedRevision = 0, claim: known }: ClassicMember,
  description: Description,
): Description {
  const { claim, saidAtRevision = Infinity, ...rest } = description;
  if (saidAtRevision >= grantedRevision) return description;
  return { ...rest, saidAtRevision, ...(known !== undefined && { claim: known }), owned: undefined };
}

/** What a member still holds when it joins. Absent `owned` is unknown, never nothing. */
export function released(
  { assigned, pendingRevocation }: ClassicMember,
  { owned }: Description,
): Pick<ClassicMember, 'assigned' | 'pendingRevocation'> {
  if (owned === undefined) return { assigned, pendingRevocation };
  const reported = (topic: string, partition: number) => holds(owned, topic, partition);
  return {
    assigned: splitOwned(assigned, reported).kept,
    pendingRevocation: splitOwned(pendingRevocation, reported).kept,
  };
}

/** Whether a join frees partitions that others may wait for. An eager member that finds the group as it left it keeps what it has. */
export function releases(member: ClassicMember, description: Description): boolean {
  const { assigned, pendingRevocation } = released(member, description);
  const keepsAll = !description.cooperative || sizeOf(assigned) === sizeOf(member.assigned);
  return !keepsAll || sizeOf(pendingRevocation) < sizeOf(member.pendingRevocation);
}

function sizeOf(owned: ClassicMember['assigned']): number {
  let size = 0;
  for (const partitions of owned.values()) size += partitions.size;
  return size;
}

/** Whether a member says of itself what the group knows (ClassicGroupMember.matches). */
export function isAsDescribed(member: ClassicMember, description: Description): boolean {
  return (
    member.cooperative === description.cooperative &&
    member.rackId === description.rackId &&
    member.weight === description.weight &&
    sameProtocols(member.protocols, description.protocols) &&
    sameSubscription(member.subscription, description.subscription) &&
    !releases(member, description)
  );
}

function sameProtocols(a: readonly MemberProtocol[], b: readonly MemberProtocol[]): boolean {
  return (
    a.length === b.length && a.every(({ name, userData }, i) => name === b[i]!.name && userData === b[i]!.userData)
  );
}
