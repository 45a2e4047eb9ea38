import { compare, comparisonFromJson, markdownName, markdownTable, toCsv } from '@allot/planner';
import type { ComparisonRefusal, ComparisonRow } from '@allot/planner';
import type { Command } from 'commander';
import { readInlineGroup, takesGroup, type InlineOptions } from '../input/inline-group.js';
import { askAboutGroup, changesOf, refuseFactsOfText } from '../server/group-question.js';
import { withServer, type ServerOptions } from '../server/server-options.js';
import { outputOption, type CommonOptions, type OutputFormat, type Session } from '../session.js';
import type { Screen } from '../view/screen.js';

interface CompareOptions extends CommonOptions, InlineOptions, ServerOptions {
  readonly output: OutputFormat;
  readonly assignors?: string;
}

/** Those that a Kafka group can have. */
const USUAL = ['range', 'roundrobin', 'sticky', 'cooperative-sticky', 'server-range', 'uniform'];

const EXAMPLES = [
  'allot compare < describe.txt',
  'allot compare --assignors range,cooperative-sticky --partitions orders=24 < describe.txt',
  'allot compare --server http://127.0.0.1:3000 --group billing --add-members 2',
  'allot compare --output csv < describe.txt > assignors.csv',
];

/** Which assignor suits the group? */
export function compareCommand(session: Session): Command {
  const command = session.command('compare', 'Assignors side by side on the same group', EXAMPLES);
  const changes = takesGroup(command, session);
  return withServer(command, 'compare on a group that is stored there')
    .option('--assignors <names>', `which, with commas between; otherwise ${USUAL.join(', ')}`)
    .addOption(outputOption(['table', 'json', 'csv', 'markdown']))
    .action(async (files: readonly string[], options: CompareOptions) => {
      const screen = session.screen(options);
      const named = options.assignors?.split(',').map((name) => name.trim());
      if (options.server !== undefined) {
        refuseFactsOfText(files, options, changes);
        const asked = { assignors: named ?? USUAL, changes: changesOf(changes, options.assignor) };
        const answer = await askAboutGroup<{ rows: Row[] }>(
          session,
          options,
          'plans/compare',
          asked,
          'allot: comparing',
        );
        return show(screen, answer.rows, options.output);
      }
      const { body } = await readInlineGroup(session, screen, files, options, changes);
      const { input, assignors } = comparisonFromJson({ ...body, assignors: named ?? body['assignors'] ?? USUAL });
      const rows = await session.during('allot: comparing', () => compare(input, assignors));
      await show(screen, rows, options.output);
    });
}

type Row = ComparisonRow | ComparisonRefusal;

const COLUMNS: readonly (readonly [heading: string, of: (row: ComparisonRow) => number | string])[] = [
  ['skew', ({ skew }) => skew.overall],
  ['least', ({ least }) => least],
  ['most', ({ most }) => most],
  ['idle', ({ idle }) => idle],
  ['moves now', ({ movesNow }) => movesNow],
  ['moves on +1', ({ movesOnAdd }) => movesOnAdd],
  ['moves on -1', ({ movesOnRemove }) => movesOnRemove],
  ['rolling moves', ({ rollingRestart }) => rollingRestart.moves],
  ['rolling rebalances', ({ rollingRestart }) => rollingRestart.rebalances],
  ['in rack', ({ rackLocality: { local, known } }) => (known === 0 ? '-' : `${local}/${known}`)],
];

async function show(screen: Screen, rows: readonly Row[], output: OutputFormat): Promise<void> {
  if (output === 'json') return screen.printJson({ rows });
  const headings = COLUMNS.map(([heading]) => heading);
  const cells = rows.map((row) => ('refused' in row ? COLUMNS.map(() => '-') : COLUMNS.map(([, of]) => of(row))));
  const protocolOf = (row: Row) => ('refused' in row ? '-' : row.protocol);
  const refused = rows.flatMap((row) => ('refused' in row ? [row] : []));
  if (output === 'csv') {
    const lines = rows.map((row, i) => [
      row.assignor,
      protocolOf(row),
      ...cells[i]!,
      'refused' in row ? row.refused : null,
    ]);
    return screen.print(toCsv(['assignor', 'protocol', ...headings, 'refused'], lines));
  }
  if (output === 'markdown') {
    const columns = ['Assignor', 'Protocol', ...headings.map((heading) => ({ heading, numbers: true as const }))];
    const lines = rows.map((row, i) => [markdownName(row.assignor), protocolOf(row), ...cells[i]!.map(String)]);
    const reasons = refused.map(({ assignor, refused: why }) => `\n${markdownName(assignor)} refuses: ${why}\n`);
    return screen.print(`${markdownTable(columns, lines)}\n${reasons.join('')}`);
  }
  const columns = headings.map((heading) => ({ heading: heading.toUpperCase(), numbers: true }));
  await screen.printTable(
    [{ heading: 'ASSIGNOR' }, { heading: 'PROTOCOL' }, ...columns],
    rows.map((row, i) => [row.assignor, protocolOf(row), ...cells[i]!]),
  );
  for (const { assignor, refused: why } of refused) await screen.note('note', `${assignor} refuses: ${why}`);
}
