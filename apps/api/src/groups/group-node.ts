import type { GroupFacts, GroupReading, GroupRef } from '@allot/coordinator';
import type { Group, GroupSummary } from './group.contract.js';
import { showGroup, summaryOf } from './group-view.js';

/**
 * A group in a GraphQL answer: it knows its cluster, by which its other fields are found, and of these what was read with it already.
 */
export type GroupNode = GroupSummary & {
  readonly cluster: string;
  readonly facts?: GroupFacts;
  readonly reading?: GroupReading;
};

/** A group that was read whole; every field of it is of the same revision. */
export function nodeOf(ref: GroupRef, reading: GroupReading): GroupNode & { readonly reading: GroupReading } {
  return { ...summaryOf(ref, reading), cluster: ref.cluster, reading };
}

const shown = new WeakMap<GroupReading, Group>();

/** A group that was read whole, as REST shows it: made once for all fields that come from it. */
export function wholeOf(ref: GroupRef, reading: GroupReading): Group {
  let group = shown.get(reading);
  if (group === undefined) shown.set(reading, (group = showGroup(ref, reading)));
  return group;
}
