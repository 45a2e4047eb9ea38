import { AllotError } from '@allot/model';
import type { Assignor } from '@allot/strategies';
import type { AssignorChoice } from './change.js';
import type { AssignorLookup, RebalanceProtocol } from './plan-types.js';

/**
 * The assignor that a choice means: the name itself, or the first of a list, since members with the same list elect the
 * first. A name that is not known is refused rather than passed over, because the prediction would be another group's.
 */
export function chooseAssignor(choice: AssignorChoice, resolve: AssignorLookup, pointer = '/assignor'): Assignor {
  const name = typeof choice === 'string' ? choice : choice[0];
  const assignor = name === undefined ? undefined : resolve(name);
  if (assignor !== undefined) return assignor;
  const detail =
    name === undefined
      ? 'The list of assignors is empty; name at least one, for example "range".'
      : `The assignor "${name}" is not known; GET /v1/assignors lists the ones there are.`;
  throw new AllotError('UNSUPPORTED_ASSIGNOR', detail, { action: 'fix-request', errors: [{ pointer, detail }] });
}

const EAGER = new Set(['range', 'roundrobin', 'sticky']);

/** The protocol that Kafka uses with an assignor: its client's three eager ones, cooperative-sticky, and KIP-848 for the broker's. */
export function usualProtocol(assignor: Assignor): RebalanceProtocol {
  if (assignor.name === 'cooperative-sticky') return 'cooperative';
  return EAGER.has(assignor.name) ? 'eager' : 'consumer';
}
