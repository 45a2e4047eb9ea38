import { parseImport } from '@allot/interop';
import type { ImportResult } from '@allot/interop';
import { AllotError, countPartitions } from '@allot/model';
import { visible } from '@allot/planner';
import type { Command } from 'commander';
import { readSources, type SourceText } from '../input/read-text.js';
import { pathOf } from '../server/api-client.js';
import { clientOf, withServer, type ServerOptions } from '../server/server-options.js';
import { outputOption, type CommonOptions, type OutputFormat, type Session } from '../session.js';
import { EXIT } from '../terminal.js';
import { count } from '../view/plan-view.js';
import type { Screen } from '../view/screen.js';

interface ImportOptions extends CommonOptions, ServerOptions {
  readonly dryRun?: boolean;
  readonly reason?: string;
  readonly output: OutputFormat;
  readonly group?: string;
  readonly lines?: boolean;
  readonly strict?: boolean;
}

const EXAMPLES = [
  'allot import describe.txt',
  'allot import --server http://127.0.0.1:3000 topics.txt groups.txt',
  'allot import --lines --strict topics.txt groups.txt',
  'kubectl exec kafka-0 -- kafka-consumer-groups.sh --bootstrap-server :9092 --describe --all-groups | allot import -',
];

/** What is in the output of Kafka's tools? Every line is accounted for. */
export function importCommand(session: Session): Command {
  const command = session.command('import', "What is read out of the output of Kafka's tools, line by line", EXAMPLES);
  return withServer(command, 'import it into this server')
    .argument('[files...]', 'what they printed; - or nothing is stdin')
    .option('-g, --group <id>', 'the group of tables that do not name it (Kafka up to 2.2)')
    .option('--lines', 'the account of every line, not only of those that were not understood')
    .option('--dry-run', 'with --server: say what would become of it')
    .option('--reason <text>', 'with --server: why, for the history')
    .option('--strict', 'exit code 1 when a line was not understood')
    .addOption(outputOption(['table', 'json']))
    .action(async (files: readonly string[], options: ImportOptions) => {
      const screen = session.screen(options);
      const source = await readSources(files, screen);
      const { group } = options;
      if (options.server !== undefined) return importOnServer(session, screen, source, options);
      const result = await session.during('allot: reading', () =>
        parseImport(source.text, group === undefined ? {} : { groupId: group }),
      );
      const left = result.lines.filter(({ status }) => status === 'not-understood').length;
      if (result.lines.every(({ status }) => status !== 'understood')) throw nothingUnderstood(result, source);
      if (options.output === 'json') await screen.print(`${JSON.stringify(result, withMaps, 2)}\n`);
      else await showImport(screen, result, source, options.lines === true);
      if (options.strict === true && left > 0) session.exitCode = EXIT.error;
    });
}

async function importOnServer(
  session: Session,
  screen: Screen,
  source: SourceText,
  options: ImportOptions,
): Promise<void> {
  const { group, dryRun, reason, cluster, output, lines: all = false } = options;
  const client = clientOf(session.terminal, options);
  const query = { group, reason, dryRun: dryRun === true ? 'true' : undefined };
  const { value: report } = await session.during('allot: importing', () =>
    client.post<ImportReport>(pathOf`/v1/clusters/${cluster}/imports`, { body: source.text, query }),
  );
  if (output === 'json') await screen.printJson(report);
  else await showReport(screen, report, source, all);
  if (options.strict === true && report.totals.notUnderstood > 0) session.exitCode = EXIT.error;
}

/** What the server answers of an import, as far as it is shown. */
interface ImportReport extends Pick<ImportResult, 'warnings' | 'lines'> {
  readonly dryRun: boolean;
  readonly totals: { readonly notUnderstood: number };
  readonly topics: readonly Outcome[];
  readonly groups: readonly (Outcome & {
    readonly groupId?: string;
    readonly members: number;
    readonly assignedPartitions: number;
  })[];
}

interface Outcome {
  readonly name?: string;
  readonly partitions?: number;
  readonly outcome: string;
  readonly reason?: string;
}

async function showReport(screen: Screen, report: ImportReport, source: SourceText, all: boolean): Promise<void> {
  const { topics, groups, dryRun } = report;
  const rows = [
    ...topics.map(({ name, outcome, partitions, reason }) => [
      'topic',
      name ?? '',
      outcome,
      '-',
      partitions ?? '-',
      reason ?? '',
    ]),
    ...groups.map(({ groupId, outcome, members, assignedPartitions, reason }) => [
      'group',
      groupId ?? 'unnamed',
      outcome,
      members,
      assignedPartitions,
      reason ?? '',
    ]),
  ];
  await screen.printTable(
    [
      { heading: 'KIND' },
      { heading: 'NAME', shrinks: true },
      { heading: dryRun ? 'WOULD BE' : 'OUTCOME' },
      { heading: 'MEMBERS', numbers: true },
      { heading: 'PARTITIONS', numbers: true },
      { heading: 'REMARK' },
    ],
    rows,
  );
  await showAccount(screen, report, source, all);
}

async function showImport(screen: Screen, result: ImportResult, source: SourceText, all: boolean): Promise<void> {
  const { topics, groups, reassignments } = result;
  if (topics.length > 0) {
    await screen.print(`${screen.paint('bold', count(topics.length, 'topic'))}\n`);
    await screen.printTable(
      [
        { heading: 'TOPIC', shrinks: true },
        ...['PARTITIONS', 'REPLICAS', 'LISTED'].map((heading) => ({ heading, numbers: true })),
      ],
      topics.map(({ name, partitionCount, replicationFactor, partitions }) => [
        name,
        partitionCount ?? 'unknown',
        replicationFactor ?? '-',
        partitions.length,
      ]),
    );
  }
  if (groups.length > 0) {
    await screen.heading(count(groups.length, 'group'));
    await screen.printTable(
      [
        { heading: 'GROUP', shrinks: true },
        { heading: 'STATE' },
        { heading: 'ASSIGNOR' },
        ...['MEMBERS', 'OWNED', 'UNOWNED', 'LAG'].map((heading) => ({ heading, numbers: true })),
      ],
      groups.map(({ groupId, state, assignor, members, partitions }) => [
        groupId ?? 'unnamed',
        state,
        assignor ?? '-',
        members.length,
        members.reduce((sum, { assignment }) => sum + (assignment === undefined ? 0 : countPartitions(assignment)), 0),
        partitions.filter(({ memberId }) => memberId === undefined).length,
        partitions.length === 0 ? '-' : partitions.reduce((sum, { lag }) => sum + Math.max(0, lag ?? 0), 0),
      ]),
    );
  }
  if (reassignments.length > 0) {
    const partitions = reassignments.reduce((sum, reassignment) => sum + reassignment.partitions.length, 0);
    await screen.heading(`${count(reassignments.length, 'reassignment')} of ${count(partitions, 'partition')}`);
  }
  await showAccount(screen, result, source, all);
}

/** Warnings, lines that were left out (or all), and how many there are. */
async function showAccount(
  screen: Screen,
  { warnings, lines }: Pick<ImportResult, 'warnings' | 'lines'>,
  source: SourceText,
  all: boolean,
): Promise<void> {
  for (const { code, message } of warnings) {
    await screen.print(`${screen.paint('yellow', '!')} ${visible(message)} (${code})\n`);
  }
  const shown = all ? lines : lines.filter(({ status }) => status === 'not-understood');
  if (shown.length > 0) {
    await screen.heading(all ? 'Lines' : 'Lines that were not understood');
    await screen.printTable(
      [{ heading: 'WHERE' }, { heading: 'STATUS' }, { heading: 'KIND' }, { heading: 'DETAIL' }],
      shown.map(({ lineNumber, status, kind, detail }) => [source.locate(lineNumber), status, kind, detail]),
    );
  }
  const by = (wanted: string) => lines.filter(({ status }) => status === wanted).length;
  await screen.print(
    `\n${count(lines.length, 'line')}: ${by('understood')} understood, ${by('ignored')} ignored, ${by('not-understood')} not understood.\n`,
  );
  await screen.admitShortening();
}

function nothingUnderstood({ lines }: ImportResult, source: SourceText): AllotError {
  const odd = lines.find(({ status }) => status === 'not-understood');
  const why = odd === undefined ? 'There is nothing to import.' : `${source.locate(odd.lineNumber)}: ${odd.detail}`;
  return new AllotError('IMPORT_FAILED', `Nothing in the text was understood. ${why}`, { action: 'fix-request' });
}

/** Maps as objects without a prototype, so that every name is an ordinary key. */
function withMaps(_key: string, value: unknown): unknown {
  if (!(value instanceof Map)) return value;
  const json = Object.create(null) as Record<string, unknown>;
  for (const [key, entry] of value as Map<string, unknown>) json[key] = entry;
  return json;
}
