import type { ClassicGroup, ClassicMember } from './classic-group.js';

/**
 * Database time from which the group may remove a member for what it has not done in time: it has not joined the next generation, or
 * has not asked for its assignment. Infinity while nothing of the kind is awaited of it. A static member that does not join again
 * stays: only its session ends it (KAFKA-8220).
 *
 * The timer is Kafka's, with one addition. A member was told, before the timer was set, that it may work until its session ends. So
 * one that holds partitions is not removed before that time is over, or somebody else would work on them at the same time.
 */
export function removableFrom({ timer, groupEpoch }: ClassicGroup, member: ClassicMember): number {
  if (timer === undefined || timer.kind === 'initial-delay') return Infinity;
  const { state, memberEpoch, instanceId } = member;
  const isAwaited =
    timer.kind === 'sync'
      ? state === 'JOINED' && memberEpoch === groupEpoch
      : state !== 'JOINING' && instanceId === undefined;
  if (!isAwaited) return Infinity;
  const holds = member.assigned.size > 0 || member.pendingRevocation.size > 0;
  return holds ? Math.max(timer.at, timer.since + member.sessionTimeoutMs) : timer.at;
}

/** How long a member may go on without another answer, database time in ms, when its lease ends at `leaseUntil`. */
export function classicValidUntil(group: ClassicGroup, member: ClassicMember, leaseUntil: number): number {
  return Math.min(leaseUntil, member.rebalanceDeadline ?? Infinity, removableFrom(group, member));
}
