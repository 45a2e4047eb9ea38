import { compareText } from '@allot/model';
import type { PlanResult } from './plan-types.js';

/**
 * Where an order of members and partitions is the whole reason of a rule, in numbers that a reader can check. They are read from
 * the target and told only if all of it agrees; empty where it does not: with pins, racks, or different subscriptions.
 */
export function describeOrder(result: PlanResult, topic: string, partition: number, subscribers: number): string {
  if (result.assignor.endsWith('range')) return describeRuns(result, topic, partition, subscribers);
  return result.assignor === 'roundrobin' ? describeTurns(result, topic, partition) : '';
}

/** Rules that cut a topic into contiguous runs, one for each subscriber. */
function describeRuns(
  { assignor, target, owners }: PlanResult,
  topic: string,
  partition: number,
  subscribers: number,
): string {
  const runs = [...target]
    .map(([member, topics]) => ({ member, numbers: topics.get(topic) ?? [] }))
    .filter(({ numbers }) => numbers.length > 0)
    .sort((a, b) => a.numbers[0]! - b.numbers[0]!);
  const position = runs.findIndex(({ numbers }) => numbers.includes(partition));
  if (
    position === -1 ||
    !runs.every(({ numbers: [first, ...more] }) => first! + more.length === (more.at(-1) ?? first))
  )
    return '';
  const sizes = runs.map(({ numbers }) => numbers.length);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  if (most - least > 1 || sizes.some((size, index) => size > (sizes[index - 1] ?? size))) return '';
  const { member, numbers } = runs[position]!;
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const byId = runs.every((run, index) => index === 0 || compareText(runs[index - 1]!.member, run.member) < 0);
  // Where racks decided who got which partition, the members' order did not.
  const racks = owners.after.topics.find(({ name }) => name === topic)?.racks;
  if (
    assignor === 'range' &&
    !byId &&
    racks !== undefined &&
    owners.after.members.some(({ rack }) => rack !== undefined)
  ) {
    return ` ${assignor} first gives members, up to their share, what has a replica in their rack.`;
  }
  const mine = numbers.length === 1 ? `${topic}-${numbers[0]}` : `${topic}-${numbers[0]} to ${topic}-${numbers.at(-1)}`;
  const lengths = least === most ? `${least}` : `${most} and ${least}`;
  return (
    ` ${assignor} cuts the ${count(total, 'partition')} of ${topic} into runs of ${lengths} for ` +
    `${count(subscribers, 'subscriber')} in ${byId ? 'the order of their ids' : 'member order'}` +
    `${least === most ? '' : ', the longer ones first'}; ${member} is number ${position + 1} and gets ${mine}.`
  );
}

/** A rule that deals partitions out in turn, in the order of topics and numbers. */
function describeTurns({ assignor, target }: PlanResult, topic: string, partition: number): string {
  const dealt = [...target]
    .flatMap(([member, topics]) =>
      [...topics].flatMap(([name, numbers]) => numbers.map((number) => ({ member, name, number }))),
    )
    .sort((a, b) => compareText(a.name, b.name) || a.number - b.number);
  const members = new Set(dealt.map(({ member }) => member)).size;
  if (!dealt.every(({ member }, index) => member === dealt[index % members]!.member)) return '';
  const index = dealt.findIndex(({ name, number }) => name === topic && number === partition);
  if (index === -1) return '';
  return (
    ` ${assignor} deals ${count(dealt.length, 'partition')} out in turn to ${count(members, 'member')}, by topic and number; ` +
    `${topic}-${partition} is number ${index + 1}, and ${dealt[index]!.member} is number ${(index % members) + 1} in the turn.`
  );
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
