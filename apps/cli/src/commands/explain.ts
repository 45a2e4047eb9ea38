import { parseTopicPartition } from '@allot/model';
import { explainMember, explainPartition, memberExplanationToJson, plan, planFromJson, visible } from '@allot/planner';
import type { Explanation, PlanResult } from '@allot/planner';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { readInlineGroup, takesGroup, type InlineOptions } from '../input/inline-group.js';
import { outputOption, type CommonOptions, type OutputFormat, type Session } from '../session.js';
import type { Screen } from '../view/screen.js';
import type { Cell } from '../view/table.js';
import { invalidRequest } from '@allot/model';

interface ExplainOptions extends CommonOptions, InlineOptions {
  readonly output: OutputFormat;
  readonly partition?: { topic: string; partition: number };
  readonly member?: string;
}

const EXAMPLES = [
  'allot explain --partition orders-3 --add-members 1 < describe.txt',
  'allot explain --member c4 --add-members 1 < describe.txt',
  'allot explain --partition orders-3 --output json < describe.txt',
];

/** Why is this partition there, why that member? */
export function explainCommand(session: Session): Command {
  const command = session.command(
    'explain',
    'Why a partition goes where it goes, what a plan means for a member',
    EXAMPLES,
  );
  const changes = takesGroup(command, session);
  return command
    .addOption(
      new Option('--partition <topic-n>', 'the partition to explain, orders-3').argParser((text) => {
        const partition = parseTopicPartition(text);
        if (partition === undefined) throw new InvalidArgumentError('Write it like orders-3.');
        return partition;
      }),
    )
    .option('--member <id>', 'the member to explain')
    .addOption(outputOption(['table', 'json']))
    .action(async (files: readonly string[], options: ExplainOptions) => {
      const { partition, member, output } = options;
      if ((partition === undefined) === (member === undefined)) {
        throw invalidRequest('Say what to explain: either --partition orders-3 or --member c1.');
      }
      const screen = session.screen(options);
      const { body } = await readInlineGroup(session, screen, files, options, changes);
      const result = await session.during('allot: planning', () => plan(planFromJson(body)));
      if (partition !== undefined)
        await showPartition(screen, explainPartition(result, partition.topic, partition.partition), output);
      else await showMember(screen, result, member!, output);
    });
}

async function showPartition(screen: Screen, explanation: Explanation, output: OutputFormat): Promise<void> {
  if (output === 'json') return screen.printJson(explanation);
  await printPartitionExplanation(screen, explanation);
}

/** The sentence, and the candidates with what they had and have. */
export async function printPartitionExplanation(screen: Screen, explanation: Explanation): Promise<void> {
  const { text, cause, forced, assignor, evenShare, candidates, claims } = explanation;
  const share = evenShare[0] === evenShare[1] ? `${evenShare[0]}` : `${evenShare[0]} or ${evenShare[1]}`;
  await screen.print(`${screen.paint('bold', visible(text))}\n\n`);
  await screen.print(
    `cause: ${cause}${forced ? ' (no assignor could avoid it)' : ''}; assignor: ${assignor}; even share: ${share}\n`,
  );
  const rows = candidates.map(({ member, loadBefore, loadAfter, rackMatches }): Cell[] => [
    member === explanation.to
      ? { text: '>', style: 'green' }
      : member === explanation.from
        ? { text: '<', style: 'red' }
        : ' ',
    member,
    loadBefore ?? '-',
    loadAfter,
    rackMatches === null ? '-' : rackMatches ? 'yes' : 'no',
  ]);
  await screen.heading(`Candidates (> gets it, < had it)`);
  await screen.printTable(
    [
      { heading: '' },
      { heading: 'MEMBER', shrinks: true },
      { heading: 'BEFORE', numbers: true },
      { heading: 'AFTER', numbers: true },
      { heading: 'IN RACK' },
    ],
    rows,
  );
  if (claims.length > 1) {
    await screen.heading('Claims');
    await screen.printTable(
      [{ heading: 'MEMBER', shrinks: true }, { heading: 'GENERATION', numbers: true }, { heading: 'WON' }],
      claims.map(({ member, generation, won }) => [member, generation, won ? 'yes' : 'no']),
    );
  }
  await screen.admitShortening();
}

async function showMember(screen: Screen, result: PlanResult, member: string, output: OutputFormat): Promise<void> {
  const explanation = memberExplanationToJson(explainMember(result, member));
  if (output === 'json') return screen.printJson(explanation);
  await screen.print(`${screen.paint('bold', visible(explanation.text))}\n`);
}
