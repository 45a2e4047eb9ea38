import { plan, planFromJson, planToCsv, planToJson, planToMarkdown } from '@allot/planner';
import type { PlanJson } from '@allot/planner';
import { invalidRequest } from '@allot/model';
import type { Command } from 'commander';
import { readInlineGroup, takesGroup, type InlineOptions } from '../input/inline-group.js';
import type { ChangeOptions } from '../options/change-options.js';
import { refuseFactsOfText } from '../server/group-question.js';
import { clientOf, groupPath, withServer, type ServerOptions } from '../server/server-options.js';
import { remarkOn, requestOf, type StoredPlan } from '../server/stored-plan.js';
import { outputOption, type CommonOptions, type OutputFormat, type Session } from '../session.js';
import { EXIT } from '../terminal.js';
import { printPlan } from '../view/plan-view.js';
import type { Screen } from '../view/screen.js';

interface PlanOptions extends CommonOptions, InlineOptions, ServerOptions {
  readonly rollbackTo?: string;
  readonly reason?: string;
  readonly output: OutputFormat;
}

const EXAMPLES = [
  'allot plan --add-members 2 < describe.txt',
  'allot plan topics.txt groups.txt --group billing --partitions orders=24 --add-members 4',
  'allot plan --assignor cooperative-sticky --output markdown < describe.txt > change.md',
  'allot plan --server http://127.0.0.1:3000 --group billing --remove-member worker-7',
  'allot plan --remove-member c1 --output json < group.json | jq .stats',
  'kafka-consumer-groups.sh --bootstrap-server localhost:9092 --describe --group billing | allot plan --add-members 1',
];

/** What would change? Exit code 2 says that something would. */
export function planCommand(session: Session): Command {
  const command = session.command('plan', 'What would change, who would get what, what it costs', EXAMPLES);
  const changes = takesGroup(command, session);
  return withServer(command, 'plan on a group that is stored there; the plan is kept, for review')
    .option('--rollback-to <revision>', 'with --server: back to what this revision was heading for, instead of changes')
    .option('--reason <text>', 'with --server: why, for those who review it')
    .addOption(outputOption(['table', 'json', 'csv', 'markdown']))
    .action(async (files: readonly string[], options: PlanOptions) => {
      const screen = session.screen(options);
      if (options.server !== undefined) return planOnServer(session, screen, files, options, changes);
      if (options.rollbackTo !== undefined)
        throw invalidRequest('--rollback-to needs --server: a text has no history.');
      const { groupId, body } = await readInlineGroup(session, screen, files, options, changes);
      const result = await session.during('allot: planning', () => planToJson(plan(planFromJson(body))));
      await noteInventedIds(screen, result);
      await showPlan(screen, result, options.output, groupId);
      session.exitCode = result.diff.length === 0 ? EXIT.ok : EXIT.changes;
    });
}

/** Kafka's rules order members by id, so that ids made up here may get other partitions than the real ones. */
async function noteInventedIds(screen: Screen, { addedMembers }: PlanJson): Promise<void> {
  if (!addedMembers.some((id) => /^new-\d+$/.test(id))) return;
  await screen.note(
    'note',
    'ids like new-1 are made up, and Kafka orders members by id; --add-member names them where you know.',
  );
}

/** The server computes, from the group as it is there, and keeps the plan. */
async function planOnServer(
  session: Session,
  screen: Screen,
  files: readonly string[],
  options: PlanOptions,
  changes: ChangeOptions,
): Promise<void> {
  const { group, output } = options;
  refuseFactsOfText(files, options, changes);
  const path = groupPath(options, group);
  const client = clientOf(session.terminal, options);
  const { value: plan } = await session.during('allot: planning', () =>
    client.post<StoredPlan>(`${path}/plans`, requestOf(options, changes)),
  );
  const { id: planId, baseRevision, groupId, result } = plan;
  if (output === 'json') await screen.printJson(plan);
  else if (output === 'markdown') await screen.print(planToMarkdown(result, { groupId, planId, baseRevision }));
  else await showPlan(screen, result, output, groupId);
  await remarkOn(screen, plan);
  session.exitCode = result.diff.length === 0 ? EXIT.ok : EXIT.changes;
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
