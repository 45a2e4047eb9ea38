import { AllotError } from '@allot/model';
import type { Assignor } from '@allot/strategies';
import type { AssignorChoice } from './change.js';
import type { AssignorLookup, RebalanceProtocol } from './plan-types.js';

/** A choice made: the assignor, and the names in front of it that are not known here. */
export interface ChosenAssignor {
  readonly assignor: Assignor;
  readonly passedOver: readonly string[];
}

/**
 * The assignor that a choice means: the name itself, or the first known one of a list, as the service serves groups. Names
 * passed over are reported, because a Kafka group whose members all have that class would use it.
 */
export function chooseAssignor(choice: AssignorChoice, resolve: AssignorLookup, pointer = '/assignor'): ChosenAssignor {
  const names = typeof choice === 'string' ? [choice] : choice;
  for (const [position, name] of names.entries()) {
    const assignor = resolve(name);
    if (assignor !== undefined) return { assignor, passedOver: names.slice(0, position) };
  }
  const detail =
    names.length === 0
      ? 'The list of assignors is empty; name at least one, for example "range".'
      : `No assignor is called ${names.map((name) => `"${name}"`).join(' or ')}; GET /v1/assignors lists the ones there are.`;
  throw new AllotError('UNSUPPORTED_ASSIGNOR', detail, { action: 'fix-request', errors: [{ pointer, detail }] });
}

const EAGER = new Set(['range', 'roundrobin', 'sticky', 'threads-range', 'threads-roundrobin']);

/** The protocol that Kafka uses with an assignor: eager for its client's older ones, cooperative-sticky, and KIP-848 for the broker's. */
export function usualProtocol(assignor: Assignor): RebalanceProtocol {
  if (assignor.name === 'cooperative-sticky') return 'cooperative';
  return EAGER.has(assignor.name) ? 'eager' : 'consumer';
}
