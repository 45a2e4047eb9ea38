import type { MemberSpec } from '@allot/model';
import type { Pin } from '@allot/strategies';
import type { Change } from './change.js';
import { isBrokerChange } from './change.js';
import { compact } from './compact.js';
import type { PlanResult } from './plan-types.js';

/** What a plan's group is: served here, a picture of one that Kafka serves, or one whose leader assigns when members join. */
export type PlannedOn = 'live' | 'imported' | 'classic';

export type EffectBlockerCode =
  | 'members-missing'
  | 'subscription-is-the-members'
  | 'rack-is-the-members'
  | 'topics-are-the-clusters'
  | 'brokers-are-the-clusters'
  | 'threads-are-no-members'
  | 'classic-group';

/** Why a plan cannot be applied as it is, and what to do about it. */
export interface EffectBlocker {
  readonly code: EffectBlockerCode;
  /** JSON pointer to the change that stands in the way; empty when it is the group itself. */
  readonly pointer: string;
  readonly message: string;
}

/** What applying a plan writes beside the target. */
export interface Effect {
  readonly blockers: readonly EffectBlocker[];
  readonly assignors?: readonly string[];
  /** The pins that the group has from then on; absent: it keeps those that it has. */
  readonly pins?: readonly Pin[];
  /** Members that the plan adds, or describes otherwise than they are, without what they own. */
  readonly members: readonly Omit<MemberSpec, 'owned' | 'generation'>[];
  readonly removedMembers: readonly string[];
}

/**
 * What carrying a plan out comes to. Only what is the service's to decide can be applied: targets, the assignor, weights, and that a
 * member shall have nothing. A live member joins, subscribes and has its rack by itself, and topics belong to the whole cluster: such
 * changes come to pass first, then the plan is made anew. Of a picture everything can be rewritten but the topics.
 */
export function effectOf(changes: readonly Change[], result: PlanResult, on: PlannedOn): Effect {
  const blockers = changes.flatMap((change, i) => blockersOf(change, `/changes/${i}`, on));
  if (on === 'classic') {
    const message =
      'Members of a classic group are assigned when they join, by their leader. Apply the plan to the consumers.';
    blockers.unshift({ code: 'classic-group', pointer: '', message });
  }
  if (result.owners.after !== result.after) {
    const message = `The assignor ${result.assignor} gives partitions to threads, and groups here have members.`;
    blockers.unshift({ code: 'threads-are-no-members', pointer: '', message });
  }
  const choice = changes.flatMap((change) => ('assignor' in change ? [change.assignor] : [])).at(-1);
  const pins = changes.findLast((change) => 'pins' in change)?.pins;
  return {
    blockers,
    ...(pins !== undefined && { pins }),
    ...(choice !== undefined && { assignors: preferring(result.assignor, choice) }),
    members: otherMembers(result),
    removedMembers: result.removedMembers,
  };
}

/** The assignor that decided, then the rest of the list in its order; names before it were not known. */
function preferring(chosen: string, choice: string | readonly string[]): readonly string[] {
  if (typeof choice === 'string') return [chosen];
  return [...new Set([chosen, ...choice.slice(choice.indexOf(chosen) + 1)])];
}

function otherMembers({ before, after }: PlanResult): Effect['members'] {
  const known = new Map(before.members.map((member) => [member.id, identityOf(member)]));
  return after.members.map(identityOf).filter((member) => !sameIdentity(known.get(member.id), member));
}

function identityOf({ id, topics, instanceId, rack, weight }: MemberSpec): Effect['members'][number] {
  return compact({ id, topics, instanceId, rack, weight });
}

function sameIdentity(a: Effect['members'][number] | undefined, b: Effect['members'][number]): boolean {
  return (
    a !== undefined &&
    a.rack === b.rack &&
    a.weight === b.weight &&
    (a.topics === b.topics ||
      (a.topics.length === b.topics.length && a.topics.every((name, i) => name === b.topics[i])))
  );
}

function blockersOf(change: Change, pointer: string, on: PlannedOn): EffectBlocker[] {
  if ('topic' in change)
    return [topicBlocker(pointer, `Topic ${change.topic} must have its ${change.partitions} partitions`)];
  if ('addTopic' in change) return [topicBlocker(pointer, `Topic ${change.addTopic.name} must exist`)];
  if ('removeTopic' in change) return [topicBlocker(pointer, `Topic ${change.removeTopic} must be gone`)];
  if (isBrokerChange(change)) {
    const message = 'Brokers belong to the whole cluster. Change them there first, then plan anew.';
    return [{ code: 'brokers-are-the-clusters', pointer, message }];
  }
  if (on === 'imported') return [];
  if ('addMembers' in change) {
    const { addMembers } = change;
    const count = typeof addMembers === 'number' ? addMembers : addMembers.length;
    if (count === 0) return [];
    const message = `${count} ${count === 1 ? 'member that is' : 'members that are'} added must join first. Start them, then plan anew without adding any.`;
    return [{ code: 'members-missing', pointer: `${pointer}/addMembers`, message }];
  }
  if (!('member' in change)) return [];
  const { member, topics, rack } = change;
  const says = (what: string) => `Member ${member} itself says ${what}. Change it there, then plan anew.`;
  return [
    ...(topics === undefined
      ? []
      : [
          {
            code: 'subscription-is-the-members' as const,
            pointer: `${pointer}/topics`,
            message: says('which topics it reads'),
          },
        ]),
    ...(rack === undefined
      ? []
      : [{ code: 'rack-is-the-members' as const, pointer: `${pointer}/rack`, message: says('in which rack it is') }]),
  ];
}

function topicBlocker(pointer: string, condition: string): EffectBlocker {
  const message = `${condition} first, and a plan for one group does not change what other groups read as well. Change the topic, then plan anew.`;
  return { code: 'topics-are-the-clusters', pointer, message };
}
