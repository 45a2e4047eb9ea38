import type { StepContext } from '../consumer/step.js';
import { ANSWER, ClassicDraft, type ClassicStep } from './classic-draft.js';
import type { ClassicGroup } from './classic-group.js';
import { checkGeneration, instanceConflict, knownMember, type MemberRef } from './membership.js';

/**
 * A member's sign of life (GroupMetadataManager.classicGroupHeartbeatToClassicGroup). While the group waits for its members to join again,
 * the answer's state says so, which is Kafka's REBALANCE_IN_PROGRESS; while it waits for the leader's assignment all is well.
 * @throws AllotError COORDINATOR_NOT_AVAILABLE, UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION; FENCED_INSTANCE_ID is an outcome.
 */
export function heartbeat(
  group: ClassicGroup,
  command: MemberRef & { readonly generation: number },
  context: StepContext,
): ClassicStep {
  const conflict = instanceConflict(group, command, context);
  if (conflict !== undefined) return conflict;
  const { memberId } = knownMember(group, command);
  checkGeneration(group, command.generation);
  const draft = new ClassicDraft(group, group, context);
  draft.lookAtCatalog();
  draft.renew(memberId);
  return { transition: draft.finish(), outcome: ANSWER };
}
