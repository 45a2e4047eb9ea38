import type { GroupReading, GroupRef } from '@allot/coordinator';
import type { Group, GroupSummary } from './group.contract.js';
import { showGroup, summaryOf } from './group-view.js';

/** A group in a GraphQL answer knows its cluster, which its other fields need; and its rest where it was read whole. */
export type GroupNode = GroupSummary & { readonly cluster: string; readonly whole?: Group };

/** A group that was read whole; every field of it is of the same revision. */
export function nodeOf(ref: GroupRef, reading: GroupReading): GroupNode {
  return { ...summaryOf(ref, reading), cluster: ref.cluster, whole: showGroup(ref, reading) };
}
