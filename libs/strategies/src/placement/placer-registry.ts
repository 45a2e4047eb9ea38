import { adminUtilsPlacer } from './admin-utils.js';
import { kraftStripedPlacer } from './kraft-striped.js';
import { moduloPlacer } from './modulo.js';
import { refusal } from './placement-request.js';
import type { ReplicaPlacer } from './replica-placer.js';

/** Every replica placer, in the order in which they are listed to people. */
const PLACERS: readonly ReplicaPlacer[] = [moduloPlacer, adminUtilsPlacer, kraftStripedPlacer];

const byName = new Map(PLACERS.flatMap((placer) => [placer.name, ...placer.aliases].map((name) => [name, placer])));

/** All placers, for listings. */
export function listPlacers(): readonly ReplicaPlacer[] {
  return PLACERS;
}

/**
 * The placer with this name or alias (Kafka's class name). Case matters.
 *
 * @throws AllotError UNSUPPORTED_PLACER naming the known ones
 */
export function resolvePlacer(nameOrAlias: string): ReplicaPlacer {
  const placer = byName.get(nameOrAlias.trim());
  if (placer !== undefined) return placer;
  const known = PLACERS.map(({ name }) => name);
  throw refusal('UNSUPPORTED_PLACER', `There is no placer "${nameOrAlias}". Use one of: ${known.join(', ')}.`);
}
