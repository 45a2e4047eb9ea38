import { invalidRequest } from '@allot/model';
import { csvRecord, visible } from '@allot/planner';
import { encodeKey, initialState, listKeyEncodings, listPartitioners, resolvePartitioner } from '@allot/strategies';
import type { KeyEncoding, Partitioner } from '@allot/strategies';
import { Option, type Command } from 'commander';
import { readLines } from '../input/read-lines.js';
import { wholeNumber } from '../options/change-options.js';
import { suggesting } from '../options/suggestions.js';
import { outputOption, type CommonOptions, type OutputFormat, type Session } from '../session.js';
import type { Screen } from '../view/screen.js';

interface PartitionOptions extends CommonOptions {
  readonly output: OutputFormat;
  readonly partitions: number;
  readonly partitioner: string;
  readonly keyEncoding: KeyEncoding;
  readonly growTo?: number;
  readonly count?: boolean;
  readonly seed: number;
  readonly null?: string;
}

const EXAMPLES = [
  'allot partition --partitions 12 order-1 order-2',
  'allot partition --partitions 12 --count < keys.txt',
  'allot partition --partitions 12 --grow-to 24 --output csv < keys.txt > moved.csv',
  'allot partition --partitions 12 --partitioner murmur2_random --key-encoding int64 42',
];

/** Where do keys go? Reads and writes as it goes, so input may be of any length. */
export function partitionCommand(session: Session): Command {
  return session
    .command('partition', 'The partition of each key, as a producer chooses it', EXAMPLES)
    .argument('[keys...]', 'keys; without any, each line of stdin is one')
    .addOption(
      new Option('-p, --partitions <count>', 'partitions of the topic').argParser(wholeNumber).makeOptionMandatory(),
    )
    .addOption(
      suggesting(
        new Option('--partitioner <name>', "by its name or Kafka's class; built-in is Kafka's own").default('built-in'),
        listPartitioners().map(({ name }) => name),
      ),
    )
    .addOption(new Option('--key-encoding <form>', 'how keys are written').choices(listKeyEncodings()).default('utf8'))
    .option('--grow-to <count>', 'and where they go when the topic has so many partitions', wholeNumber)
    .option('--count', 'how many keys each partition gets, instead of each key')
    .option('--null <text>', 'a line like this is a record without a key')
    .option('--seed <number>', 'of the random choices that some rules make', wholeNumber, 0)
    .addOption(outputOption(['table', 'json', 'csv']))
    .action(async (keys: readonly string[], options: PartitionOptions) => {
      const screen = session.screen(options);
      const lines = keys.length > 0 ? keys : readLines(session.terminal.stdin);
      if (keys.length === 0 && session.terminal.stdin.isTTY === true) {
        await screen.note('note', 'reading keys from the terminal, one a line; Ctrl-D ends.');
      }
      const choose = chooser(resolvePartitioner(options.partitioner), options);
      if (options.count === true) await countKeys(screen, lines, choose, options);
      else await listKeys(screen, lines, choose, options);
    });
}

/** Where a line's key goes: partition now, and after growth where that was asked. */
type Choose = (line: string, number: number) => readonly number[];

function chooser(partitioner: Partitioner, options: PartitionOptions): Choose {
  const { keyEncoding, partitions, growTo, seed } = options;
  const topics = [partitions, ...(growTo === undefined ? [] : [growTo])].map((count) => ({
    topic: { partitions: count },
    state: initialState(seed),
  }));
  return (line, number) => {
    const record = line === options.null ? {} : { key: encoded(keyEncoding, line, number) };
    return topics.map((side) => {
      const { partition, state } = partitioner.partition(record, side.topic, side.state);
      side.state = state;
      return partition;
    });
  };
}

function encoded(encoding: KeyEncoding, line: string, number: number): Uint8Array {
  try {
    return encodeKey(encoding, line);
  } catch (error) {
    throw invalidRequest(`key ${number}: ${(error as Error).message}`);
  }
}

/** Written in pieces of about this size. */
const PIECE = 2 ** 16;

async function listKeys(
  screen: Screen,
  lines: Iterable<string> | AsyncIterable<string>,
  choose: Choose,
  { output, growTo, partitions }: PartitionOptions,
): Promise<void> {
  const names = growTo === undefined ? ['partition'] : ['from', 'to'];
  const widths = [partitions, growTo ?? 0].map((count) => `${count}`.length);
  const format = (line: string, chosen: readonly number[]): string => {
    if (output === 'csv') return `${csvRecord([line, ...chosen])}\r\n`;
    if (output === 'json') {
      return `${JSON.stringify({ key: line, ...Object.fromEntries(names.map((name, i) => [name, chosen[i]])) })}\n`;
    }
    return `${chosen.map((partition, i) => `${partition}`.padStart(widths[i]!)).join('  ')}  ${visible(line)}\n`;
  };
  let piece = output === 'csv' ? `key,${names.join(',')}\r\n` : '';
  let [number, moved] = [0, 0];
  for await (const line of lines) {
    const chosen = choose(line, ++number);
    if (chosen.length > 1 && chosen[0] !== chosen[1]) moved++;
    piece += format(line, chosen);
    if (piece.length < PIECE) continue;
    await screen.print(piece);
    piece = '';
  }
  await screen.print(piece);
  if (growTo !== undefined)
    await screen.note('note', `${moved} of ${number} keys change partition (${share(moved, number)}).`);
}

async function countKeys(
  screen: Screen,
  lines: Iterable<string> | AsyncIterable<string>,
  choose: Choose,
  { output, growTo, partitions }: PartitionOptions,
): Promise<void> {
  const counts = new Map<number, readonly [number, number]>();
  for (let partition = 0; partition < Math.max(partitions, growTo ?? 0); partition++) counts.set(partition, [0, 0]);
  let number = 0;
  for await (const line of lines) {
    const [from, to] = choose(line, ++number);
    const [was, is] = counts.get(from!)!;
    counts.set(from!, [was + 1, is]);
    if (to === undefined) continue;
    const [before, after] = counts.get(to)!;
    counts.set(to, [before, after + 1]);
  }
  const sides = growTo === undefined ? ['keys'] : ['keys', 'after'];
  const rows = [...counts].map(([partition, both]) => [partition, ...both.slice(0, sides.length)]);
  if (output === 'json') {
    return screen.printJson(
      rows.map(([partition, ...of]) => ({ partition, ...Object.fromEntries(sides.map((name, i) => [name, of[i]])) })),
    );
  }
  if (output === 'csv') {
    return screen.print(
      [`partition,${sides.join(',')}`, ...rows.map(csvRecord)].map((record) => `${record}\r\n`).join(''),
    );
  }
  const columns = ['partition', ...sides].map((heading) => ({ heading: heading.toUpperCase(), numbers: true }));
  await screen.printTable(
    [...columns, { heading: 'SHARE', numbers: true }],
    rows.map((row) => [...row, share(row.at(-1)!, number)]),
  );
}

function share(part: number, whole: number): string {
  return whole === 0 ? '-' : `${((part / whole) * 100).toFixed(1)} %`;
}
