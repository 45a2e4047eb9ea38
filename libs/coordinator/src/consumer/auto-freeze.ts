import type { ChangeCause, ChangeDetails } from '../history.js';
import { identityOf, remember, type Calm, type Departure } from './calm.js';
import { isServed, type ConsumerGroup, type ConsumerMember } from './consumer-group.js';

export interface FreezeChange {
  readonly calm: Calm | undefined;
  /** Absent: nothing to tell. */
  readonly cause?: ChangeCause;
  readonly details?: ChangeDetails;
}

/**
 * Freezes a group of which more than the set share was lost within one session timeout: so many do not fail by themselves, and those who
 * are left could not carry the work of all. `gone` are the members that this step lost.
 */
export function freezeAfterLoss(group: ConsumerGroup, gone: readonly ConsumerMember[], now: number): FreezeChange {
  const { autoFreeze, sessionTimeoutMs } = group.settings;
  const { calm } = group;
  if (autoFreeze === undefined || gone.length === 0) return { calm };
  const present = served(group);
  const here = new Set(present.map(identityOf));
  const lately = (calm?.departures ?? []).filter(({ member, at }) => at + sessionTimeoutMs > now && !here.has(member));
  const departures: Departure[] = [...lately, ...gone.map((member) => ({ member: identityOf(member), at: now }))];
  const lost = departures.length;
  const members = present.length + lost;
  const frozen = calm?.freeze !== undefined || members < autoFreeze.minMembers || lost <= autoFreeze.share * members;
  if (frozen) return { calm: remember(calm, { departures }) };
  const freeze = { by: 'auto-freeze', since: now, members } as const;
  return { calm: remember(calm, { departures, freeze }), cause: 'auto-frozen', details: { lost, members } };
}

/** Lifts an automatic freeze when the group has as many members again, whoever they are: a restart gives most of them new ids. */
export function liftWhenBack(group: ConsumerGroup): FreezeChange {
  const { calm } = group;
  const { by, members = Infinity } = calm?.freeze ?? {};
  if (by !== 'auto-freeze' || served(group).length < members) return { calm };
  return { calm: thawed(calm), cause: 'auto-freeze-lifted' };
}

/** Without the freeze, and without what led to it: else it would come back with the next loss. */
export function thawed(calm: Calm | undefined): Calm | undefined {
  return remember(calm, { freeze: undefined, departures: undefined });
}

function served({ members }: ConsumerGroup): ConsumerMember[] {
  return [...members.values()].filter(isServed);
}
