import { AllotError, filterAssignment, findViolations, type GroupAssignment, type GroupSpec } from '@allot/model';
import type { StepContext } from '../consumer/step.js';
import { groupSpecOf } from '../consumer/target.js';
import type { ClassicGroup } from './classic-group.js';

/**
 * The assignment of a generation by the assignor that its members agreed on, or the reason why there is none. What members claim to
 * own goes in as they claim it, with the generation of the claim, so that the assignor settles conflicts as Kafka's does: the later generation
 * wins (KAFKA-13419). A member that claims nothing counts with what the last assignment gave it. Whom a partition really goes to is
 * decided after this, by who holds it: see `publish`.
 */
export function computeAssignment(
  group: ClassicGroup,
  { catalog, resolveAssignor }: Pick<StepContext, 'catalog' | 'resolveAssignor'>,
): GroupAssignment | AllotError {
  const name = group.protocol!;
  const { kafkaVersion } = group.settings;
  const spec = specOf(group, catalog);
  try {
    const { target } = resolveAssignor(name).assign(spec, kafkaVersion === undefined ? {} : { kafkaVersion });
    const [violation] = findViolations(spec, target);
    if (violation === undefined) return target;
    return failed(`The assignor ${name} gave an illegal answer: ${JSON.stringify(violation)}.`);
  } catch (error) {
    if (error instanceof AllotError) return error;
    return failed(`The assignor ${name} failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function specOf(group: ClassicGroup, catalog: StepContext['catalog']): GroupSpec {
  const { topics, members } = groupSpecOf(group, catalog);
  return {
    topics,
    members: members.map((member) => {
      const claim = group.members.get(member.id)!.claim;
      if (claim === undefined) return member;
      const { owned: _owned, generation: _generation, ...rest } = member;
      const subscribed = new Set(member.topics);
      const owned = filterAssignment(claim.owned, (topic) => subscribed.has(topic));
      return owned.size === 0 ? rest : { ...rest, owned, generation: claim.generation };
    }),
  };
}

function failed(message: string): AllotError {
  return new AllotError('ASSIGNOR_FAILED', `${message} Nothing was changed; the generation goes on waiting.`, {
    action: 'retry',
    retryAfterMs: 1_000,
  });
}
