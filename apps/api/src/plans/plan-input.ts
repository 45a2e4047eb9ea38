import { createHash } from 'node:crypto';
import {
  assignOptionsOf,
  groupSpecOf,
  isClassic,
  type Catalog,
  type Group,
  type PlanReader,
  type StoredPlan,
} from '@allot/coordinator';
import { assignmentFromJson, compareText, type AssignmentJson, type GroupAssignment } from '@allot/model';
import {
  changesFromJson,
  groupToJson,
  type Change,
  type PlanInput,
  type PlanJson,
  type SimulationStep,
} from '@allot/planner';
import type { Pin } from '@allot/strategies';
import { withReplicas, type Placement } from './replica-placement.js';

/** What was asked of a stored plan, as it is kept with it. */
export interface StoredRequest {
  readonly changes: unknown;
  /** When it was made, database time in ms: what cools down then is left alone. */
  readonly at?: number;
  /** The revision whose target it goes back to. */
  readonly rollbackTo?: number;
  /** What of that target there still is, by member. */
  readonly kept?: Readonly<Record<string, AssignmentJson>>;
}

/**
 * The group as it is, in the planner's form, with every topic of the cluster that the steps name. A live group moves partition by
 * partition; an imported or classic one as its assignor does.
 */
export function groupInputOf(
  { group, catalog }: { readonly group: Group; readonly catalog: Catalog },
  steps: readonly SimulationStep[],
  { at = 0, kept }: Pick<StoredRequest, 'at' | 'kept'>,
  placement?: Placement,
): Omit<PlanInput, 'changes'> {
  const { pins = [], ...options } = assignOptionsOf(group, at);
  const { topics, members } = groupSpecOf(group, catalog);
  const known = new Set(topics.map(({ name }) => name));
  const named = [...new Set(steps.flatMap(topicsOf))].filter((name) => !known.has(name));
  const more = named.flatMap((name) => catalog.topics.get(name) ?? []);
  const allPins = kept === undefined ? pins : [...pins, ...pinsOf(kept, pins)];
  const all = [...topics, ...more];
  return {
    topics: placement === undefined ? all : withReplicas(all, placement),
    ...(placement !== undefined && { brokers: placement.brokers }),
    members,
    assignor: group.settings.assignors,
    ...options,
    ...(allPins.length > 0 && { pins: allPins }),
    ...(group.source === 'live' && !isClassic(group) && { live: true }),
  };
}

export function planInputOf(
  reading: { readonly group: Group; readonly catalog: Catalog },
  changes: readonly Change[],
  request: Pick<StoredRequest, 'at' | 'kept'>,
  placement?: Placement,
): PlanInput {
  return { ...groupInputOf(reading, changes, request, placement), changes };
}

/** Topics that a step takes for granted; one that it adds is not among them. */
function topicsOf(change: SimulationStep): readonly string[] {
  if ('topic' in change) return [change.topic];
  if ('removeTopic' in change) return [change.removeTopic];
  if ('member' in change) return change.topics ?? [];
  if (!('addMembers' in change)) return [];
  const { addMembers, topics = [] } = change;
  const own = typeof addMembers === 'number' ? [] : addMembers;
  return [...topics, ...own.flatMap((member) => (typeof member === 'string' ? [] : (member.topics ?? [])))];
}

/** A target as pins, in an order that does not depend on how it was stored; what the group has pinned itself is left to it. */
function pinsOf(kept: NonNullable<StoredRequest['kept']>, pins: readonly Pin[]): Pin[] {
  const pinned = new Set(pins.map(({ topic, partition }) => `${partition}:${topic}`));
  const wanted: Pin[] = [];
  for (const member of Object.keys(kept).sort(compareText)) {
    const topics = kept[member]!;
    for (const topic of Object.keys(topics).sort(compareText)) {
      for (const partition of topics[topic]!) {
        if (!pinned.has(`${partition}:${topic}`)) wanted.push({ topic, partition, member });
      }
    }
  }
  return wanted;
}

/** Equal hashes mean that the same function read the same input. */
export function hashOf({ members, ...input }: PlanInput): string {
  const owned = groupToJson(new Map(members.map((member) => [member.id, member.owned ?? new Map()])));
  const plain = members.map(({ owned: _owned, ...member }) => member);
  return createHash('sha256')
    .update(JSON.stringify([input, plain, owned]))
    .digest('hex');
}

/** The input that a stored plan would be computed from now. */
export function inputOfStored(plan: StoredPlan, group: Group, catalog: Catalog, placement?: Placement): PlanInput {
  const { changes, ...rest } = plan.request as StoredRequest;
  return planInputOf({ group, catalog }, changesFromJson(changes), rest, placement);
}

export const PLAN_READER: PlanReader = {
  targetOf: ({ result }) => {
    const { target } = result as PlanJson;
    const byMember = Object.keys(target).map((id): [string, ReturnType<typeof assignmentFromJson>] => [
      id,
      assignmentFromJson(target[id]!),
    ]);
    return new Map(byMember) satisfies GroupAssignment;
  },
  isInput: (plan, group, catalog) => hashOf(inputOfStored(plan, group, catalog)) === plan.inputHash,
};
