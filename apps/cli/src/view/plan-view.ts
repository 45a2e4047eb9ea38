import type { OwnerChange } from '@allot/model';
import { formatTopicPartition } from '@allot/model';
import { loadChanges, visible } from '@allot/planner';
import type { LoadChange, PlanJson } from '@allot/planner';
import type { Screen } from './screen.js';
import type { Cell } from './table.js';

/** A plan as a person reads it: who gains and gives, which partitions, what it costs, what to know. */
export async function printPlan(screen: Screen, plan: PlanJson, title: string): Promise<void> {
  await screen.print(`${screen.paint('bold', title)}\n`);
  await printMembers(screen, plan);
  await printPartitions(screen, plan.diff);
  await printSummary(screen, plan);
  for (const { severity, code, message } of plan.warnings) {
    const style = severity === 'warning' ? 'yellow' : 'cyan';
    await screen.print(`${screen.paint(style, severity === 'warning' ? '!' : 'i')} ${visible(message)} (${code})\n`);
  }
  await screen.admitShortening();
}

const MARKS: Readonly<Record<LoadChange['kind'], Cell>> = {
  added: { text: '+', style: 'green' },
  removed: { text: '-', style: 'red' },
  changed: { text: '~', style: 'yellow' },
  same: ' ',
};

async function printMembers(screen: Screen, plan: PlanJson): Promise<void> {
  const rows = loadChanges(plan).map(({ member, kind, before, after, gained, lost }): Cell[] => [
    MARKS[kind],
    member,
    before ?? '-',
    after ?? '-',
    gained === 0 ? '' : { text: `+${gained}`, style: 'green' },
    lost === 0 ? '' : { text: `-${lost}`, style: 'red' },
  ]);
  const numbers = ['BEFORE', 'AFTER', 'GAINS', 'GIVES'].map((heading) => ({ heading, numbers: true }));
  await screen.print('\n');
  await screen.printTable([{ heading: '' }, { heading: 'MEMBER', shrinks: true }, ...numbers], rows);
}

async function printPartitions(screen: Screen, diff: readonly OwnerChange[]): Promise<void> {
  if (diff.length === 0) return;
  const rows = diff.map(({ topic, partition, from, to }): Cell[] => [
    from === null ? MARKS.added : to === null ? MARKS.removed : MARKS.changed,
    formatTopicPartition({ topic, partition }),
    from ?? { text: 'nobody', style: 'dim' },
    to ?? { text: 'nobody', style: 'dim' },
  ]);
  await screen.print('\n');
  const names = ['PARTITION', 'FROM', 'TO'].map((heading) => ({ heading, shrinks: true }));
  await screen.printTable([{ heading: '' }, ...names], rows);
}

async function printSummary(screen: Screen, plan: PlanJson): Promise<void> {
  const { stats } = plan;
  const forced = stats.forcedMoves > 0 ? ` (${stats.forcedMoves} cannot be avoided)` : '';
  const lines = [
    `${count(stats.moves, 'partition')} of ${stats.partitions} move${stats.moves === 1 ? 's' : ''}${forced}; ` +
      `skew ${stats.skewBefore.overall} -> ${stats.skew.overall}; ${stats.least} to ${stats.most} a member.`,
  ];
  const unowned = Object.keys(plan.unowned).reduce((sum, topic) => sum + plan.unowned[topic]!.length, 0);
  if (unowned > 0) lines.push(`${count(unowned, 'partition')} without an owner.`);
  const { before, after } = stats.rackLocality;
  if (before.known + after.known > 0)
    lines.push(`Read within a rack: ${before.local} of ${before.known} -> ${after.local} of ${after.known}.`);
  if (stats.weightedSkew !== null)
    lines.push(`Skew by weight ${round(stats.weightedSkew.before)} -> ${round(stats.weightedSkew.after)}.`);
  await screen.print(`\n${lines.join('\n')}\n\n`);
  await printPauses(screen, plan);
}

/** What each protocol pauses, the group's own one marked. */
async function printPauses(screen: Screen, { disruption, protocol }: PlanJson): Promise<void> {
  const rows = [disruption.eager, disruption.cooperative, disruption.consumer].map((cost): Cell[] => [
    cost.protocol === protocol ? { text: '>', style: 'cyan' } : ' ',
    cost.protocol,
    cost.partitionsPaused,
    round(cost.partitionSecondsPaused),
    cost.rebalances,
  ]);
  const numbers = ['PAUSED', 'PARTITION-SECONDS', 'REBALANCES'].map((heading) => ({ heading, numbers: true }));
  await screen.printTable([{ heading: '' }, { heading: 'PROTOCOL' }, ...numbers], rows);
  await screen.print('\n');
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
