import { plan, planFromJson, planToCsv, planToJson, planToMarkdown } from '@allot/planner';
import type { PlanJson } from '@allot/planner';
import type { Command } from 'commander';
import { readInlineGroup, takesGroup, type InlineOptions } from '../input/inline-group.js';
import { outputOption, type CommonOptions, type OutputFormat, type Session } from '../session.js';
import { EXIT } from '../terminal.js';
import { printPlan } from '../view/plan-view.js';
import type { Screen } from '../view/screen.js';

interface PlanOptions extends CommonOptions, InlineOptions {
  readonly output: OutputFormat;
}

const EXAMPLES = [
  'allot plan --add-members 2 < describe.txt',
  'allot plan topics.txt groups.txt --group billing --partitions orders=24 --add-members 4',
  'allot plan --assignor cooperative-sticky --output markdown < describe.txt > change.md',
  'allot plan --remove-member c1 --output json < group.json | jq .stats',
  'kafka-consumer-groups.sh --bootstrap-server localhost:9092 --describe --group billing | allot plan --add-members 1',
];

/** What would change? Exit code 2 says that something would. */
export function planCommand(session: Session): Command {
  const command = session.command('plan', 'What would change, who would get what, what it costs', EXAMPLES);
  const changes = takesGroup(command, session);
  return command
    .addOption(outputOption(['table', 'json', 'csv', 'markdown']))
    .action(async (files: readonly string[], options: PlanOptions) => {
      const screen = session.screen(options);
      const { groupId, body } = await readInlineGroup(session, screen, files, options, changes);
      const result = await session.during('allot: planning', () => planToJson(plan(planFromJson(body))));
      await showPlan(screen, result, options.output, groupId);
      session.exitCode = result.diff.length === 0 ? EXIT.ok : EXIT.changes;
    });
}

async function showPlan(screen: Screen, result: PlanJson, output: OutputFormat, groupId?: string): Promise<void> {
  if (output === 'json') return screen.printJson(result);
  if (output === 'csv') return screen.print(planToCsv(result));
  if (output === 'markdown') return screen.print(planToMarkdown(result, groupId === undefined ? {} : { groupId }));
  return printPlan(screen, result, titleOf(result, groupId));
}

function titleOf({ assignor, protocol, diff, addedMembers, removedMembers }: PlanJson, groupId?: string): string {
  const what = diff.length === 0 ? 'nothing changes' : 'what would change';
  const members = [
    ...(addedMembers.length > 0 ? [`+${addedMembers.length}`] : []),
    ...(removedMembers.length > 0 ? [`-${removedMembers.length}`] : []),
  ];
  const size = members.length === 0 ? '' : `, ${members.join(' ')} members`;
  return `${groupId === undefined ? 'The group' : `Group ${groupId}`}: ${what} (${assignor}, ${protocol}${size})`;
}
