import { AllotError, type Assignment } from '@allot/model';
import type { Catalog } from '../catalog/catalog.js';
import type { ConsumerGroup, ConsumerMember } from './consumer-group.js';
import { draftOf } from './membership.js';
import { mergeOwned, withoutEpochs } from './owned-partitions.js';
import type { StepContext, Transition } from './step.js';
import { computeTarget, type ResolveAssignor } from './target.js';

/**
 * Lets a member end in peace: it stays in the group, gets nothing more, and hands over what it has by the ordinary way, revoke before
 * assign. To drain a member that is draining changes nothing.
 * @throws AllotError GROUP_ID_NOT_FOUND, UNKNOWN_MEMBER_ID, GROUP_READ_ONLY, MEMBER_NOT_DRAINABLE.
 */
export function drain(
  group: ConsumerGroup | undefined,
  command: { readonly memberId: string },
  context: StepContext,
): Transition {
  const { draft, member } = draftOf(group, command, context);
  if (member.manual) {
    throw new AllotError(
      'MEMBER_NOT_DRAINABLE',
      `Member ${member.memberId} chose its partitions itself; nobody takes them over. Stop it, and it leaves.`,
      { action: 'fix-request' },
    );
  }
  if (member.draining) return { group: draft.group };
  draft.because('member-draining');
  draft.setMember({ ...member, draining: true });
  draft.bump();
  return draft.settle();
}

/** The member is served again. @throws AllotError as `drain`. */
export function cancelDrain(
  group: ConsumerGroup | undefined,
  command: { readonly memberId: string },
  context: StepContext,
): Transition {
  const { draft, member } = draftOf(group, command, context);
  if (!member.draining) return { group: draft.group };
  const { draining, ...rest } = member;
  draft.because('drain-canceled');
  draft.setMember(rest);
  draft.bump();
  return draft.settle();
}

/** Where a partition would go, or has gone: `to` is null when nobody may have it. */
export interface HandedOver {
  readonly topic: string;
  readonly partition: number;
  readonly to: string | null;
}

export interface DrainCheck {
  readonly draining: boolean;
  /** Whether nothing is interrupted by stopping the member now. */
  readonly safe: boolean;
  /** What it still has, to work on or to give up. */
  readonly holds: Assignment;
  /** Who has that in the target, or would have it in the target of the group without this member. */
  readonly handsOver: readonly HandedOver[];
  /** Why nobody can tell where the partitions would go: the assignor failed. */
  readonly assignorFault?: string;
}

/**
 * Whether a member may be stopped, and where its partitions go; by the same run of the same assignor as a drain. Nothing changes. While
 * the group gets no target a drain is only noted, and this tells what will become of it.
 */
export function checkDrain(
  group: ConsumerGroup,
  member: ConsumerMember,
  { catalog, resolveAssignor, now }: { catalog: Catalog; resolveAssignor: ResolveAssignor; now: number },
): DrainCheck {
  const holds = withoutEpochs(mergeOwned(member.assigned, member.pendingRevocation));
  const draining = member.draining === true;
  const isDone = draining && group.assignmentEpoch === group.groupEpoch;
  const after = isDone ? group : withoutMember(group, member, catalog, resolveAssignor, now);
  const ownerOf = targetOwners(after, member.memberId);
  const handsOver: HandedOver[] = [];
  for (const [topic, partitions] of holds) {
    for (const partition of partitions) {
      handsOver.push({ topic, partition, to: ownerOf.get(topic)?.get(partition) ?? null });
    }
  }
  const { assignorFault } = after;
  const safe = holds.size === 0 && (draining ? isDone : member.target.size === 0);
  return { draining, safe, holds, handsOver, ...(assignorFault !== undefined && { assignorFault }) };
}

function withoutMember(
  group: ConsumerGroup,
  member: ConsumerMember,
  catalog: Catalog,
  resolve: ResolveAssignor,
  now: number,
): ConsumerGroup {
  const members = new Map(group.members).set(member.memberId, { ...member, draining: true });
  return computeTarget({ ...group, members, groupEpoch: group.groupEpoch + 1 }, catalog, resolve, now);
}

function targetOwners({ members }: ConsumerGroup, exceptId: string): ReadonlyMap<string, ReadonlyMap<number, string>> {
  const owners = new Map<string, Map<number, string>>();
  for (const { memberId, target } of members.values()) {
    if (memberId === exceptId) continue;
    for (const [topic, partitions] of target) {
      let byPartition = owners.get(topic);
      if (byPartition === undefined) owners.set(topic, (byPartition = new Map()));
      for (const partition of partitions) byPartition.set(partition, memberId);
    }
  }
  return owners;
}
