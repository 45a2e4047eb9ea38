import { type Assignment, findViolations, type GroupAssignment, type GroupSpec, type Violation } from '@allot/model';

/**
 * The answer of an assignor of one's own, or what is wrong with it as the end of a sentence that starts with its name. The order
 * of partitions in a list means nothing, so they are sorted.
 */
export function readAnswer(group: GroupSpec, text: string): GroupAssignment | string {
  const answer = JSON.parse(text) as unknown;
  if (!isObject(answer)) return `answered with ${show(answer)} instead of an object, member id -> topic -> partitions`;
  const assignment = new Map<string, Assignment>();
  for (const [member, owned] of Object.entries(answer)) {
    if (!isObject(owned)) return `gave member ${show(member)} ${show(owned)} instead of an object, topic -> partitions`;
    const topics = new Map<string, readonly number[]>();
    for (const [topic, partitions] of Object.entries(owned)) {
      if (!Array.isArray(partitions))
        return `gave member ${show(member)} ${show(partitions)} of ${show(topic)} instead of a list of partitions`;
      const odd: unknown = partitions.find((partition) => !Number.isSafeInteger(partition));
      if (odd !== undefined)
        return `gave member ${show(member)} ${JSON.stringify(odd)} as a partition number of ${show(topic)}`;
      if (partitions.length > 0)
        topics.set(
          topic,
          (partitions as number[]).sort((a, b) => a - b),
        );
    }
    assignment.set(member, topics);
  }
  const violations = findViolations(group, assignment).filter(({ kind }) => kind !== 'unsorted');
  if (violations.length === 0) return assignment;
  const more = violations.length > 1 ? `, and ${violations.length - 1} more faults` : '';
  return `gave an illegal answer: ${describe(violations[0]!)}${more}`;
}

function describe(violation: Violation): string {
  switch (violation.kind) {
    case 'missing-member':
      return `member ${show(violation.member)} has no entry (an idle member has {})`;
    case 'unknown-member':
      return `the group has no member ${show(violation.member)}`;
    case 'unknown-partition':
      return `there is no partition ${partitionOf(violation)}, which member ${show(violation.member)} got`;
    case 'not-subscribed':
      return `member ${show(violation.member)} got ${partitionOf(violation)} without a subscription to the topic`;
    case 'two-owners': {
      const [one, other] = violation.members;
      return one === other
        ? `member ${show(one)} got ${partitionOf(violation)} twice`
        : `${partitionOf(violation)} has two owners, ${show(one)} and ${show(other)}`;
    }
    case 'unassigned':
      return `nobody got ${partitionOf(violation)}`;
    case 'unsorted':
      return `the partitions of ${show(violation.topic)} are not in order`;
  }
}

function partitionOf({ topic, partition }: { readonly topic: string; readonly partition: number }): string {
  return `${show(topic)}-${partition}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const MOST_SHOWN = 100;

function show(value: unknown): string {
  const text = typeof value === 'string' && /^[\w.-]+$/.test(value) ? value : JSON.stringify(value);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}...` : text;
}
