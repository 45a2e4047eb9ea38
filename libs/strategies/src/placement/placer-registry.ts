import { invalidRequest } from '@allot/model';
import { adminUtilsPlacer } from './admin-utils.js';
import { kraftStripedPlacer } from './kraft-striped.js';
import { moduloPlacer } from './modulo.js';
import type { ReplicaPlacer } from './replica-placer.js';

/** Every replica placer, in the order in which they are listed to people. */
export const placers: readonly ReplicaPlacer[] = [moduloPlacer, adminUtilsPlacer, kraftStripedPlacer];

const byName = new Map(placers.flatMap((placer) => [placer.name, ...placer.aliases].map((name) => [name, placer])));

/** The placer with a name or alias. @throws AllotError INVALID_REQUEST that lists the names */
export function resolvePlacer(name: string): ReplicaPlacer {
  const placer = byName.get(name);
  if (placer !== undefined) return placer;
  throw invalidRequest(`Unknown placer "${name}": use one of ${placers.map((known) => known.name).join(', ')}.`);
}
