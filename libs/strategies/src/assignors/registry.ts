import { AllotError } from '@allot/model';

import type { Assignor } from './assignor.js';
import { cooperativeStickyAssignor } from './cooperative-sticky.js';
import { rangeAssignor } from './range.js';
import { roundRobinAssignor } from './round-robin.js';
import { stickyAssignor } from './sticky.js';
import { serverRangeAssignor } from './server-range.js';
import { threadsRangeAssignor } from './threads-range.js';
import { threadsRoundRobinAssignor } from './threads-round-robin.js';
import { uniformAssignor } from './uniform.js';
import { weightedStickyAssignor } from './weighted-sticky/weighted-sticky.js';

/** Every assignor, in the order in which they are listed to people. The first one is the default. */
const ASSIGNORS: readonly Assignor[] = [
  rangeAssignor,
  roundRobinAssignor,
  stickyAssignor,
  cooperativeStickyAssignor,
  serverRangeAssignor,
  uniformAssignor,
  threadsRangeAssignor,
  threadsRoundRobinAssignor,
  weightedStickyAssignor,
];

const byName = new Map<string, Assignor>();
for (const assignor of ASSIGNORS) for (const name of [assignor.name, ...assignor.aliases]) byName.set(name, assignor);

/** Kafka's default and ours. */
export const DEFAULT_ASSIGNOR = 'range';

/** All assignors, for listings. */
export function listAssignors(): readonly Assignor[] {
  return ASSIGNORS;
}

/** Wire names of all assignors. */
export function assignorNames(): readonly string[] {
  return ASSIGNORS.map(({ name }) => name);
}

/** The assignor with this wire name or alias (Kafka's class name), or undefined. Case matters, as in Kafka. */
export function findAssignor(nameOrAlias: string): Assignor | undefined {
  return byName.get(nameOrAlias.trim());
}

/**
 * The assignor with this wire name or alias.
 *
 * @throws AllotError UNSUPPORTED_ASSIGNOR naming the known ones
 */
export function resolveAssignor(nameOrAlias: string): Assignor {
  return findAssignor(nameOrAlias) ?? unsupported([nameOrAlias]);
}

/**
 * The first entry of a preference list that is known, as in a consumer's `partition.assignment.strategy`.
 *
 * @throws AllotError UNSUPPORTED_ASSIGNOR when none is, or when the list is empty
 */
export function resolvePreferredAssignor(preferences: readonly string[]): Assignor {
  for (const name of preferences) {
    const assignor = findAssignor(name);
    if (assignor !== undefined) return assignor;
  }
  return unsupported(preferences);
}

function unsupported(names: readonly string[]): never {
  const known = assignorNames();
  const what =
    names.length === 0
      ? 'The list of assignors is empty'
      : names.length === 1
        ? `There is no assignor "${names[0]}"`
        : `None of the assignors ${names.map((name) => `"${name}"`).join(', ')} is known`;
  throw new AllotError(
    'UNSUPPORTED_ASSIGNOR',
    `${what}. Use one of: ${known.join(', ')}, or Kafka's class name for it.`,
    {
      action: 'fix-request',
      facts: { known },
    },
  );
}
