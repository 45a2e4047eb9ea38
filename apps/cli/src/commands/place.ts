import { printReassignmentJson, printTopicsToMoveJson } from '@allot/interop';
import { formatTopicPartition, invalidRequest } from '@allot/model';
import { markdownName, markdownTable, toCsv } from '@allot/planner';
import { listPlacers, reassign, resolvePlacer, rollbackOf } from '@allot/strategies';
import type { BrokerSpec, PartitionReplicas } from '@allot/strategies';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { readSources } from '../input/read-text.js';
import { readReplicas } from '../input/replica-layout.js';
import { wholeNumber } from '../options/change-options.js';
import { suggesting } from '../options/suggestions.js';
import { outputOption, type CommonOptions, type OutputFormat, type Session } from '../session.js';
import { EXIT } from '../terminal.js';
import { writeNewFile } from '../view/new-file.js';
import { count } from '../view/plan-view.js';
import type { Screen } from '../view/screen.js';

interface PlaceOptions extends CommonOptions {
  readonly output: OutputFormat;
  readonly brokers?: readonly BrokerSpec[];
  readonly addBroker?: readonly BrokerSpec[];
  readonly removeBroker?: readonly number[];
  readonly partitions?: number;
  readonly replicationFactor: number;
  readonly placer: string;
  readonly seed?: number;
  readonly topic: readonly string[];
  readonly evacuate?: boolean;
  readonly minRacks?: number;
  readonly allowFewerReplicas?: boolean;
  readonly reassignment?: string;
  readonly rollback?: string;
  readonly topicsToMove?: string;
}

const EXAMPLES = [
  'allot place --brokers 1=a,2=b,3=c --partitions 12 --replication-factor 3 --seed 42',
  'allot place --add-broker 4 < topics.txt',
  'allot place --remove-broker 2 --evacuate --reassignment move.json --rollback back.json < topics.txt',
  'kafka-reassign-partitions.sh --bootstrap-server localhost:9092 --reassignment-json-file move.json --execute',
];

/** Replicas of new partitions, or the reassignment when brokers come and go. Exit code 2 says that replicas would move. */
export function placeCommand(session: Session): Command {
  const file = (flags: string, description: string) => suggesting(new Option(flags, description), 'files');
  return session
    .command('place', 'Where replicas of new partitions go; what moves when brokers come and go', EXAMPLES)
    .argument('[files...]', 'output of kafka-topics.sh --describe, or reassignment JSON; - or nothing is stdin')
    .option('--brokers <ids>', 'brokers as they shall be, 1,2,3 or 1=rack,2=rack', readBrokers)
    .option(
      '--add-broker <id>',
      'a broker that comes, 4 or 4=rack; again for more',
      (text, before: BrokerSpec[] = []) => [...before, ...readBrokers(text)],
    )
    .option('--remove-broker <id>', 'a broker that goes; again for more', (text, before: number[] = []) => [
      ...before,
      wholeNumber(text),
    ])
    .option('--topic <name>', 'only this topic; again for more', (text, before: string[]) => [...before, text], [])
    .option('-p, --partitions <count>', 'place so many new partitions, instead of moving what is there', wholeNumber)
    .option('--replication-factor <count>', 'replicas of each new partition', wholeNumber, 3)
    .addOption(
      suggesting(
        new Option('--placer <name>', 'the rule for new partitions').default('kraft-striped'),
        listPlacers().map(({ name }) => name),
      ),
    )
    .option('--seed <number>', 'where Kafka draws at random', wholeNumber)
    .option('--evacuate', 'move only what must move, without evening out')
    .option('--min-racks <count>', 'spread every partition over so many racks, or refuse', wholeNumber)
    .option('--allow-fewer-replicas', 'accept that partitions lose replicas')
    .addOption(file('--reassignment <file>', 'write the file for kafka-reassign-partitions.sh'))
    .addOption(file('--rollback <file>', 'write the file that undoes it'))
    .addOption(file('--topics-to-move <file>', 'write the topics that move, for --generate'))
    .addOption(outputOption(['table', 'json', 'csv', 'markdown']))
    .action(async (files: readonly string[], options: PlaceOptions) => {
      const screen = session.screen(options);
      if (options.partitions !== undefined) await placeNew(screen, options, options.partitions);
      else session.exitCode = (await move(session, screen, files, options)) ? EXIT.changes : EXIT.ok;
    });
}

async function placeNew(screen: Screen, options: PlaceOptions, partitions: number): Promise<void> {
  const {
    brokers,
    replicationFactor,
    seed,
    minRacks,
    topic: [topic = 'new'],
  } = options;
  if (brokers === undefined) throw invalidRequest('Say which brokers there are: --brokers 1,2,3 or --brokers 1=a,2=b.');
  const { replicas, warnings } = resolvePlacer(options.placer).place({
    brokers,
    partitions,
    replicationFactor,
    ...(seed !== undefined && { seed }),
    ...(minRacks !== undefined && { minRacks }),
  });
  const placed = [...replicas]
    .sort(([a], [b]) => a - b)
    .map(([partition, ids]) => ({ topic, partition, replicas: ids }));
  await writeFiles(options, placed, undefined);
  for (const { message } of warnings) await screen.note('warning', message);
  if (options.output === 'json') return screen.printJson(jsonOf(placed));
  await show(
    screen,
    options.output,
    ['partition', 'replicas'],
    placed.map((at) => [formatTopicPartition(at), at.replicas.join(',')]),
  );
}

/** Whether anything moves. */
async function move(
  session: Session,
  screen: Screen,
  files: readonly string[],
  options: PlaceOptions,
): Promise<boolean> {
  const source = await readSources(files, screen);
  const before = await session.during('allot: reading', () => readReplicas(source, options.topic));
  const brokers = await brokersOf(screen, before, options);
  const { minRacks, allowFewerReplicas } = options;
  const { changed, moves, warnings } = await session.during('allot: placing', () =>
    reassign({
      partitions: before,
      brokers,
      mode: options.evacuate === true ? 'evacuate' : 'rebalance',
      ...(minRacks !== undefined && { minRacks }),
      ...(allowFewerReplicas === true && { allowFewerReplicas }),
    }),
  );
  const rollback = rollbackOf(before, changed);
  await writeFiles(options, changed, rollback);
  for (const { message } of warnings) await screen.note('warning', message);
  if (options.output === 'json') {
    await screen.printJson({ moves, reassignment: jsonOf(changed), rollback: jsonOf(rollback), warnings });
  } else {
    const old = new Map(before.map((at) => [formatTopicPartition(at), at.replicas.join(',')]));
    const rows = changed.map((at) => [
      formatTopicPartition(at),
      old.get(formatTopicPartition(at))!,
      at.replicas.join(','),
    ]);
    await show(screen, options.output, ['partition', 'from', 'to'], rows);
    if (options.output === 'table') {
      await screen.print(
        `\n${count(moves, 'replica')} to copy, in ${count(changed.length, 'partition')} of ${before.length}.\n`,
      );
    }
  }
  return changed.length > 0;
}

/** As given, or those that have replicas, with those that come and without those that go. */
async function brokersOf(
  screen: Screen,
  partitions: readonly PartitionReplicas[],
  options: PlaceOptions,
): Promise<BrokerSpec[]> {
  const { brokers: given, addBroker = [], removeBroker = [] } = options;
  const used = [...new Set(partitions.flatMap(({ replicas }) => replicas))].sort((a, b) => a - b);
  if (given === undefined && addBroker.length + removeBroker.length === 0) {
    throw invalidRequest(
      `Say which brokers there shall be: --brokers, --add-broker or --remove-broker. Now there are ${used.join(', ')}.`,
    );
  }
  const unknown = removeBroker.find((id) => !used.includes(id) && given?.some((broker) => broker.id === id) !== true);
  if (unknown !== undefined) throw invalidRequest(`No broker ${unknown} has replicas; there are ${used.join(', ')}.`);
  const base = given ?? used.map((id): BrokerSpec => ({ id }));
  if (given === undefined)
    await screen.note(
      'note',
      `brokers are those that have replicas: ${used.join(', ')}; --brokers 1=a,2=b tells racks.`,
    );
  return [...base, ...addBroker].filter(({ id }) => !removeBroker.includes(id));
}

async function writeFiles(
  { reassignment, rollback, topicsToMove }: PlaceOptions,
  changed: readonly PartitionReplicas[],
  undo: readonly PartitionReplicas[] | undefined,
): Promise<void> {
  if (rollback !== undefined && undo === undefined) {
    throw invalidRequest('New partitions have no way back; leave --rollback out.');
  }
  if (rollback !== undefined) await writeNewFile(rollback, `${printReassignmentJson(undo!)}\n`);
  if (reassignment !== undefined) await writeNewFile(reassignment, `${printReassignmentJson(changed)}\n`);
  if (topicsToMove !== undefined)
    await writeNewFile(topicsToMove, `${printTopicsToMoveJson(changed.map(({ topic }) => topic))}\n`);
}

async function show(
  screen: Screen,
  output: OutputFormat,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): Promise<void> {
  if (output === 'csv') return screen.print(toCsv(headings, rows));
  if (output === 'markdown')
    return screen.print(
      `${markdownTable(
        headings,
        rows.map((row) => row.map(markdownName)),
      )}\n`,
    );
  await screen.printTable(
    headings.map((heading) => ({ heading: heading.toUpperCase(), shrinks: true })),
    rows,
  );
  await screen.admitShortening();
}

function jsonOf(partitions: readonly PartitionReplicas[]): unknown {
  return JSON.parse(printReassignmentJson(partitions));
}

function readBrokers(text: string): BrokerSpec[] {
  return text.split(',').map((part): BrokerSpec => {
    const [, id, rack] = /^\s*(\d+)(?:=(.+))?$/.exec(part) ?? [];
    if (id === undefined) throw new InvalidArgumentError('Write it like 1,2,3 or 1=a,2=b.');
    return { id: wholeNumber(id), ...(rack !== undefined && { rack }) };
  });
}
