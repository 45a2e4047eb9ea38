import type { Assignment, AssignmentJson, MemberChange } from '@allot/model';
import {
  AllotError,
  assignmentToJson,
  countPartitions,
  diffByMember,
  EMPTY_ASSIGNMENT,
  formatTopicPartition,
  subtractAssignment,
} from '@allot/model';
import type { IdleReason, PlanResult } from './plan-types.js';

/** What a plan means for one member, in data and in words. */
export interface MemberExplanation {
  readonly member: string;
  /** What it has before and in the target; null where it is not in the group. */
  readonly before: Assignment | null;
  readonly after: Assignment | null;
  readonly gained: Assignment;
  readonly lost: Assignment;
  /** Why it has nothing in the target; null when it has something or is gone. */
  readonly idle: IdleReason | null;
  /** Partitions that it said it owned, and that counted as somebody else's, or nobody's. */
  readonly claimsLost: Assignment;
  /** What the members with the same topics have on average in the target, rounded down and up. */
  readonly evenShare: readonly [number, number];
  readonly assignor: string;
  /** What the assignor does, in a sentence or two. */
  readonly rule: string;
  readonly text: string;
}

const IDLE: Record<IdleReason, string> = {
  'no-subscription': 'it subscribes to nothing',
  'no-partitions': 'none of its topics has partitions',
  'more-members-than-partitions': 'there are more members than partitions for them',
  'assignor-rule': 'the rule of the assignor leaves it without, although there are partitions enough',
};

const NOTHING: MemberChange = { gained: EMPTY_ASSIGNMENT, lost: EMPTY_ASSIGNMENT };

/** Explains a member from the plan's own result. Throws `AllotError` UNKNOWN_MEMBER_ID for one that is on neither side. */
export function explainMember(result: PlanResult, member: string): MemberExplanation {
  const before = result.current.get(member) ?? null;
  const after = result.target.get(member) ?? null;
  if (before === null && after === null) {
    throw new AllotError('UNKNOWN_MEMBER_ID', `The plan has no member "${member}"; check the id.`, {
      action: 'fix-request',
    });
  }
  const { gained, lost } = diffByMember(result.diff).get(member) ?? NOTHING;
  const idle = result.idle.find((candidate) => candidate.member === member)?.reason ?? null;
  const claimed = result.before.members.find(({ id }) => id === member)?.owned ?? EMPTY_ASSIGNMENT;
  const facts = {
    ...{ member, before, after, gained, lost, idle },
    claimsLost: before === null ? claimed : subtractAssignment(claimed, before),
    evenShare: evenShareOf(result, member),
    assignor: result.assignor,
    rule: result.rule,
  };
  return { ...facts, text: describe(facts) };
}

/** Over the members that read one of its topics; they are the ones that its partitions could go to. */
function evenShareOf({ owners: { after }, target }: PlanResult, member: string): readonly [number, number] {
  const topics = new Set(after.members.find(({ id }) => id === member)?.topics);
  const sharing = after.members.filter((other) => other.topics.some((topic) => topics.has(topic)));
  if (sharing.length === 0) return [0, 0];
  const sum = sharing.reduce((all, { id }) => all + countPartitions(target.get(id) ?? EMPTY_ASSIGNMENT), 0);
  return [Math.floor(sum / sharing.length), Math.ceil(sum / sharing.length)];
}

function describe({
  member,
  before,
  after,
  gained,
  lost,
  idle,
  claimsLost,
  evenShare: [low, high],
}: Omit<MemberExplanation, 'text'>): string {
  if (after === null) return `${member} leaves the group and gives up ${list(lost)}.`;
  const changes = [
    before !== null && gained.size > 0 ? ` It gains ${list(gained)}.` : '',
    lost.size > 0 ? ` It loses ${list(lost)}.` : '',
    idle === null ? '' : ` It has nothing to do because ${IDLE[idle]}.`,
    idle === null ? ` The even share is ${low === high ? low : `${low} or ${high}`}.` : '',
    claimsLost.size === 0
      ? ''
      : ` What it said of ${list(claimsLost)} did not count: another claim is newer, or as new.`,
  ];
  return describeCount(member, before, after, gained.size === 0 && lost.size === 0) + changes.join('');
}

function describeCount(member: string, before: Assignment | null, after: Assignment, same: boolean): string {
  const now = countPartitions(after);
  if (before === null) return `${member} joins and gets ${plural(after)}${now === 0 ? '' : `: ${list(after)}`}.`;
  if (same) return now === 0 ? `${member} has no partitions, as before.` : `${member} keeps its ${plural(after)}.`;
  const then = countPartitions(before);
  return then === now
    ? `${member} has ${plural(after)}, as many as before, but not the same.`
    : `${member} goes from ${plural(before)} to ${now}.`;
}

function plural(assignment: Assignment): string {
  const count = countPartitions(assignment);
  return `${count} partition${count === 1 ? '' : 's'}`;
}

/** The first few partitions by name and how many more there are. */
function list(assignment: Assignment): string {
  const names: string[] = [];
  for (const [topic, partitions] of assignment) {
    for (const partition of partitions.slice(0, 6)) names.push(formatTopicPartition({ topic, partition }));
    if (names.length > 5) break;
  }
  const more = countPartitions(assignment) - Math.min(names.length, 5);
  if (names.length === 0) return 'nothing';
  return names.slice(0, 5).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

type Assignments = 'before' | 'after' | 'gained' | 'lost' | 'claimsLost';

/** An explanation as it is written out; assignments are topic -> sorted partition numbers. */
export type MemberExplanationJson = Omit<MemberExplanation, Assignments> & {
  readonly before: AssignmentJson | null;
  readonly after: AssignmentJson | null;
  readonly gained: AssignmentJson;
  readonly lost: AssignmentJson;
  readonly claimsLost: AssignmentJson;
};

export function memberExplanationToJson(explanation: MemberExplanation): MemberExplanationJson {
  const { before, after, gained, lost, claimsLost, ...same } = explanation;
  return {
    ...same,
    before: before && assignmentToJson(before),
    after: after && assignmentToJson(after),
    gained: assignmentToJson(gained),
    lost: assignmentToJson(lost),
    claimsLost: assignmentToJson(claimsLost),
  };
}
