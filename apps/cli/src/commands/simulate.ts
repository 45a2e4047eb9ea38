import { invalidRequest } from '@allot/model';
import { recommend, simulate, simulationFromJson, simulationToJson, markdownTable, toCsv } from '@allot/planner';
import type { Cost, Recommendations, SimulationJson } from '@allot/planner';
import { InvalidArgumentError, type Command } from 'commander';
import { readInlineGroup, takesGroup, type InlineOptions } from '../input/inline-group.js';
import { addChange, number, wholeNumber, type ChangeOptions } from '../options/change-options.js';
import { askAboutGroup, refuseFactsOfText } from '../server/group-question.js';
import { withServer, type ServerOptions } from '../server/server-options.js';
import { outputOption, type CommonOptions, type OutputFormat, type Session } from '../session.js';
import { count, round } from '../view/plan-view.js';
import type { Screen } from '../view/screen.js';

interface SimulateOptions extends CommonOptions, InlineOptions, ServerOptions {
  readonly output: OutputFormat;
  readonly static?: boolean;
  readonly recommend?: boolean;
  readonly timing?: Record<string, number>;
}

const EXAMPLES = [
  'allot simulate --rolling-restart 1 < describe.txt',
  'allot simulate --rolling-restart 2 --add-members 3 --crash 1 --protocol cooperative < describe.txt',
  'allot simulate --rolling-restart 1 --static --timing restartMs=30000 < describe.txt',
  'allot simulate --rolling-restart 1 --recommend < describe.txt',
  'allot simulate --server http://127.0.0.1:3000 --group billing --rolling-restart 1',
];

/** What does a deployment, a crash, a growth cost? */
export function simulateCommand(session: Session): Command {
  const command = session.command('simulate', 'What a sequence costs: deployments, crashes, growth', EXAMPLES);
  const steps = takesGroup(command, session);
  addChange(command, steps, {
    flags: '--rolling-restart <batch>',
    description: 'all members restart, so many at a time',
    read: (value) => ({ rollingRestart: { batchSize: wholeNumber(value) } }),
  });
  addChange(command, steps, {
    flags: '--crash <count or id>',
    description: 'so many members die without leaving, or this one',
    read: (value) => ({ crash: /^\d+$/.test(value) ? wholeNumber(value) : [value] }),
  });
  addChange(command, steps, {
    flags: '--zone-loss <rack>',
    description: 'all members of a rack die',
    read: (value) => ({ zoneLoss: value }),
  });
  return withServer(command, 'on a group that is stored there')
    .option('--static', 'as if every member had an instance id')
    .option('--recommend', 'settings that make the sequence cheaper, each with what it saves')
    .option('--timing <name=ms>', 'rebalanceMs, handoverMs, restartMs or sessionTimeoutMs; again for more', readTiming)
    .addOption(outputOption(['table', 'json', 'csv', 'markdown']))
    .action(async (files: readonly string[], options: SimulateOptions) => {
      const screen = session.screen(options);
      const player = await playerOf(session, screen, files, options, steps);
      if (options.recommend === true) return showRecommendations(screen, await player.recommend(), options.output);
      const result = await player.simulate();
      const given = result.steps.length - steps.changes.length;
      const names = result.steps.map(({ step }, i) => steps.sources[i - given] ?? JSON.stringify(step));
      await showSimulation(screen, result, names, options.output);
    });
}

/** What plays the steps: this program on a text, or a server on a group that it has. */
interface Player {
  simulate(): Promise<SimulationJson>;
  recommend(): Promise<Recommendations>;
}

async function playerOf(
  session: Session,
  screen: Screen,
  files: readonly string[],
  options: SimulateOptions,
  steps: ChangeOptions,
): Promise<Player> {
  const label = 'allot: simulating';
  const timing = options.timing !== undefined && { timing: options.timing };
  if (options.server !== undefined) {
    const { protocol, assignor } = options;
    refuseFactsOfText(files, { kafkaVersion: options.kafkaVersion }, steps);
    if (options.static === true) throw invalidRequest('--static is for a text; --recommend says what it would save.');
    if (assignor !== undefined) steps.addFirst({ assignor }, `--assignor ${assignor}`);
    const asked = { steps: steps.changes, ...timing, ...(protocol !== undefined && { protocol }) };
    return {
      simulate: () => askAboutGroup(session, options, 'simulations', asked, label),
      recommend: () => askAboutGroup(session, options, 'simulations/recommend', asked, label),
    };
  }
  const { body } = await readInlineGroup(session, screen, files, options, steps, 'steps');
  const input = simulationFromJson({
    steps: [],
    ...(options.static === true ? withInstanceIds(body) : body),
    ...timing,
  });
  return {
    simulate: () => session.during(label, () => simulationToJson(simulate(input))),
    recommend: () => session.during(label, () => recommend(input)),
  };
}

function readTiming(text: string, before: Record<string, number> = {}): Record<string, number> {
  const [, name, value] = /^(\w+)=(.+)$/.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError('Write it like restartMs=30000.');
  return { ...before, [name]: number(value!) };
}

/** Members that have an instance id keep it; the others get their own id for one. */
function withInstanceIds(body: Record<string, unknown>): Record<string, unknown> {
  const members = Array.isArray(body['members']) ? (body['members'] as Record<string, unknown>[]) : [];
  return { ...body, members: members.map((member) => ({ instanceId: member['id'], ...member })) };
}

const COSTS: readonly (readonly [heading: string, of: (cost: Cost) => number])[] = [
  ['rebalances', ({ rebalances }) => rebalances],
  ['moves', ({ moves }) => moves],
  ['forced', ({ forcedMoves }) => forcedMoves],
  ['partition-seconds paused', ({ partitionSecondsPaused }) => round(partitionSecondsPaused)],
  ['peak load', ({ peakLoad }) => peakLoad],
];

async function showSimulation(
  screen: Screen,
  result: SimulationJson,
  names: readonly string[],
  output: OutputFormat,
): Promise<void> {
  if (output === 'json') return screen.printJson(result);
  const rows = [
    ...result.steps.map((step, i) => ({ name: `${i + 1}. ${names[i]}`, cost: step as Cost })),
    { name: 'total', cost: result.total },
  ];
  await showCosts(screen, ['step', ...COSTS.map(([heading]) => heading)], rows, output);
  if (output !== 'table') return;
  const { assignor, protocol, total } = result;
  await screen.print(
    `\n${assignor}, ${protocol} protocol. ${count(total.displaced, 'partition')} end with another owner than they began with.\n`,
  );
}

async function showRecommendations(
  screen: Screen,
  { baseline, recommendations }: Recommendations,
  output: OutputFormat,
): Promise<void> {
  if (output === 'json') return screen.printJson({ baseline, recommendations });
  const rows = [
    { name: 'as it is', cost: baseline as Cost },
    ...recommendations.map(({ setting, total }) => ({ name: setting as string, cost: total as Cost })),
  ];
  await showCosts(screen, ['setting', ...COSTS.map(([heading]) => heading)], rows, output);
  if (output !== 'table') return;
  for (const { setting, how } of recommendations) await screen.print(`\n${screen.paint('bold', setting)}: ${how}\n`);
  if (recommendations.length === 0) await screen.print('\nNo setting makes it cheaper.\n');
}

async function showCosts(
  screen: Screen,
  headings: readonly string[],
  rows: readonly { readonly name: string; readonly cost: Cost }[],
  output: OutputFormat,
): Promise<void> {
  const cells = rows.map(({ name, cost }) => [name, ...COSTS.map(([, of]) => of(cost))]);
  const numbers = headings.slice(1);
  if (output === 'csv') return screen.print(toCsv(headings, cells));
  if (output === 'markdown') {
    const columns = [headings[0]!, ...numbers.map((heading) => ({ heading, numbers: true as const }))];
    return screen.print(
      `${markdownTable(
        columns,
        cells.map((row) => row.map(String)),
      )}\n`,
    );
  }
  const columns = numbers.map((heading) => ({ heading: heading.toUpperCase(), numbers: true }));
  await screen.printTable([{ heading: headings[0]!.toUpperCase(), shrinks: true }, ...columns], cells);
}
