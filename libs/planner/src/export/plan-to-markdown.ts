import type { OwnerChange } from '@allot/model';
import type { Disruption } from '../plan-types.js';
import type { PlanJson } from '../plan-to-json.js';
import { markdownName, markdownTable, markdownText } from './markdown.js';
import { loadChanges } from './load-changes.js';

/** What a report says beside the plan itself. */
export interface PlanReportFacts {
  readonly groupId?: string;
  /** Of a stored plan. */
  readonly planId?: string;
  readonly baseRevision?: number;
  /** Rows of the table of partitions; what is beyond is counted. 200 when absent. */
  readonly mostRows?: number;
}

/**
 * A plan as a Markdown report for a change request: summary, what each protocol pauses, warnings, who gains and gives, the
 * partitions, and the way back. A long list of partitions is cut, and says so: the CSV has them all.
 */
export function planToMarkdown(plan: PlanJson, facts: PlanReportFacts = {}): string {
  const sections = [
    title(facts),
    summary(plan, facts),
    pauses(plan),
    warnings(plan),
    members(plan),
    partitions(plan.diff, facts.mostRows ?? 200),
    rollback(plan, facts),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function title({ groupId }: PlanReportFacts): string {
  return `# Change of consumer group${groupId === undefined ? '' : ` ${markdownText(groupId)}`}`;
}

function summary(plan: PlanJson, { planId, baseRevision }: PlanReportFacts): string {
  const { stats, unowned, unknownTopics } = plan;
  const before = Object.keys(plan.current).length;
  const weighted = stats.weightedSkew;
  const racks = stats.rackLocality;
  const unownedCount = Object.keys(unowned).reduce((sum, topic) => sum + unowned[topic]!.length, 0);
  const rows: [string, string][] = [
    ...(planId === undefined ? [] : [['Plan', markdownName(planId)] satisfies [string, string]]),
    ...(baseRevision === undefined
      ? []
      : [['Made on', `revision ${baseRevision} of the group`] satisfies [string, string]]),
    ['Assignor', `${markdownName(plan.assignor)}, ${plan.protocol} protocol`],
    ['Members', `${before} before, ${stats.members} after`],
    ['Partitions', `${stats.partitions} assigned after${unownedCount > 0 ? `, ${unownedCount} without an owner` : ''}`],
    ['Moves', `${stats.moves}, of which ${stats.forcedMoves} cannot be avoided`],
    ['Skew (busiest less least busy)', `${stats.skewBefore.overall} before, ${stats.skew.overall} after`],
    ['Partitions a member', stats.members === 0 ? '-' : `${stats.least} to ${stats.most} after`],
  ];
  if (weighted !== null)
    rows.push(['Skew by weight', `${round(weighted.before)} before, ${round(weighted.after)} after`]);
  if (racks.before.known + racks.after.known > 0) {
    const share = ({ local, known }: { local: number; known: number }) => `${local} of ${known}`;
    rows.push(['Read within a rack', `${share(racks.before)} before, ${share(racks.after)} after`]);
  }
  for (const { topic, from, to, keysRemapped } of stats.resizedTopics) {
    const keys = `${round(keysRemapped * 100)} % of keys change partition`;
    rows.push([`Topic ${markdownName(topic)}`, `${from} partitions before, ${to} after; ${keys}`]);
  }
  if (stats.idle.length > 0) rows.push(['Idle members', `${stats.idle.length}: ${some(stats.idle)}`]);
  if (unknownTopics.length > 0) rows.push(['Topics that do not exist', some(unknownTopics)]);
  return `## Summary\n\n${markdownTable(['What', 'How much'], rows)}`;
}

function pauses({ disruption, protocol }: PlanJson): string {
  const row = (cost: Disruption) => [
    cost.protocol === protocol ? `**${cost.protocol}**` : cost.protocol,
    `${cost.rebalances}`,
    `${cost.partitionsPaused}`,
    `${round(cost.partitionSecondsPaused)}`,
  ];
  const columns = ['Protocol', ...['Rebalances', 'Partitions paused', 'Partition-seconds'].map(numbers)];
  const table = markdownTable(columns, [disruption.eager, disruption.cooperative, disruption.consumer].map(row));
  return `## Paused partitions\n\nThe group's protocol is in bold; times are estimates.\n\n${table}`;
}

function warnings({ warnings: all }: PlanJson): string {
  if (all.length === 0) return '';
  const lines = all.map(({ severity, code, message }) => `- **${severity}** (${code}): ${markdownText(message)}`);
  return `## Warnings\n\n${lines.join('\n')}`;
}

const SIGNS = { added: 'joins', removed: 'leaves', changed: '', same: '' } as const;

function members(plan: PlanJson): string {
  const rows = loadChanges(plan).map(({ member, kind, before, after, gained, lost }) => [
    markdownName(member) + (SIGNS[kind] === '' ? '' : ` ${SIGNS[kind]}`),
    before === null ? '-' : `${before}`,
    after === null ? '-' : `${after}`,
    `${gained}`,
    `${lost}`,
  ]);
  if (rows.length === 0) return '';
  const columns = ['Member', ...['Before', 'After', 'Gains', 'Gives up'].map(numbers)];
  return `## Members\n\n${markdownTable(columns, rows)}`;
}

function partitions(diff: readonly OwnerChange[], mostRows: number): string {
  if (diff.length === 0) return '## Partitions\n\nNo partition changes its owner.';
  const owner = (id: string | null) => (id === null ? 'nobody' : markdownName(id));
  const rows = diff
    .slice(0, mostRows)
    .map(({ topic, partition, from, to }) => [markdownName(topic), `${partition}`, owner(from), owner(to)]);
  const rest = diff.length - rows.length;
  const more = rest > 0 ? `\n\n${rest} more of ${diff.length} are not listed here; the CSV of the plan has all.` : '';
  return `## Partitions\n\n${markdownTable(['Topic', numbers('Partition'), 'From', 'To'], rows)}${more}`;
}

/** What to undo, and what cannot be undone. */
function rollback({ addedMembers, removedMembers, stats, diff }: PlanJson, { baseRevision }: PlanReportFacts): string {
  const steps: string[] = [];
  if (addedMembers.length > 0) steps.push(`Stop the members that were added: ${some(addedMembers)}.`);
  if (removedMembers.length > 0) steps.push(`Start the members that were removed: ${some(removedMembers)}.`);
  for (const { topic, from, to } of stats.resizedTopics) {
    steps.push(
      to > from
        ? `Topic ${markdownName(topic)} keeps its ${to} partitions: Kafka topics do not shrink.`
        : `Topic ${markdownName(topic)} was made anew with ${to} partitions; its records are gone, it can grow to ${from} again.`,
    );
  }
  if (diff.some(({ from }) => from !== null)) {
    steps.push(
      baseRevision === undefined
        ? 'The owners before are in the column From; whether each partition returns to its own depends on the assignor, so plan the way back before taking it.'
        : `A plan with \`rollbackTo: ${baseRevision}\` leads back to the owners in the column From.`,
    );
  }
  if (steps.length === 0) steps.push('Nothing changes, so there is nothing to undo.');
  return `## Rollback\n\n${steps.map((step) => `- ${step}`).join('\n')}`;
}

/** The first few names, and how many more there are. */
function some(names: readonly string[]): string {
  const shown = names.slice(0, 10).map(markdownName).join(', ');
  return names.length > 10 ? `${shown} and ${names.length - 10} more` : shown;
}

function numbers(heading: string) {
  return { heading, numbers: true } as const;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
