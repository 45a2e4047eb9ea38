import { formatTopicPartition, invalidRequest, parseTopicPartition } from '@allot/model';
import { explainMember, explainPartition, memberExplanationToJson, plan, planFromJson, visible } from '@allot/planner';
import type { Explanation, MemberExplanationJson, PlanResult } from '@allot/planner';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { readInlineGroup, takesGroup, type InlineOptions } from '../input/inline-group.js';
import { pathOf } from '../server/api-client.js';
import { clientOf, groupPath, withServer, type ServerOptions } from '../server/server-options.js';
import { outputOption, type CommonOptions, type OutputFormat, type Session } from '../session.js';
import type { Screen } from '../view/screen.js';
import type { Cell } from '../view/table.js';

interface ExplainOptions extends CommonOptions, InlineOptions, ServerOptions {
  readonly plan?: string;
  readonly output: OutputFormat;
  readonly partition?: { topic: string; partition: number };
  readonly member?: string;
}

const EXAMPLES = [
  'allot explain --partition orders-3 --add-members 1 < describe.txt',
  'allot explain --member c4 --add-members 1 < describe.txt',
  'allot explain --server http://127.0.0.1:3000 --group billing --plan 0b6c6f2e-8d5e-4d0e-9f0a-2f3c7f6f9c11 --member c4',
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
  return withServer(command, 'explain a plan that is stored there')
    .option('--plan <id>', 'with --server: the plan')
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
      if (options.server !== undefined) return explainOnServer(session, screen, files, options);
      const { body } = await readInlineGroup(session, screen, files, options, changes);
      const result = await session.during('allot: planning', () => plan(planFromJson(body)));
      if (partition !== undefined)
        await showPartition(screen, explainPartition(result, partition.topic, partition.partition), output);
      else await showMember(screen, result, member!, output);
    });
}

/** The server explains from the plan's own run, as long as the group is still the one that was planned on. */
async function explainOnServer(
  session: Session,
  screen: Screen,
  files: readonly string[],
  options: ExplainOptions,
): Promise<void> {
  const { plan: id, group, partition, member, output } = options;
  if (id === undefined || files.length > 0) {
    throw invalidRequest(
      'With --server a stored plan is explained: name it with --plan. `allot plan --server` makes one.',
    );
  }
  const path = groupPath(options, group) + pathOf`/plans/${id}/explain`;
  const query = { partition: partition && formatTopicPartition(partition), member };
  const { value } = await clientOf(session.terminal, options).get<Explanation & MemberExplanationJson>(path, { query });
  if (output === 'json') await screen.printJson(value);
  else if (partition !== undefined) await printPartitionExplanation(screen, value);
  else await printMemberExplanation(screen, value);
}

async function showPartition(screen: Screen, explanation: Explanation, output: OutputFormat): Promise<void> {
  if (output === 'json') return screen.printJson(explanation);
  await printPartitionExplanation(screen, explanation);
}

/** The sentence, and the candidates with what they had and have. */
export async function printPartitionExplanation(screen: Screen, explanation: Explanation): Promise<void> {
  const { text, cause, forced, assignor, rule, evenShare, candidates, claims } = explanation;
  const share = evenShare[0] === evenShare[1] ? `${evenShare[0]}` : `${evenShare[0]} or ${evenShare[1]}`;
  await screen.print(`${screen.paint('bold', visible(text))}\n\n`);
  await screen.print(
    `cause: ${cause}${forced ? ' (no assignor could avoid it)' : ''}; even share: ${share}\n${assignor}: ${visible(rule)}\n`,
  );
  const rows = candidates.map(({ member, loadBefore, loadAfter, rackMatches, passedOver }): Cell[] => [
    member === explanation.to
      ? { text: '>', style: 'green' }
      : member === explanation.from
        ? { text: '<', style: 'red' }
        : ' ',
    member,
    loadBefore ?? '-',
    loadAfter,
    rackMatches === null ? '-' : rackMatches ? 'yes' : 'no',
    passedOver ?? '',
  ]);
  await screen.heading(`Candidates (> gets it, < had it)`);
  await screen.printTable(
    [
      { heading: '' },
      { heading: 'MEMBER', shrinks: true },
      { heading: 'BEFORE', numbers: true },
      { heading: 'AFTER', numbers: true },
      { heading: 'IN RACK' },
      { heading: 'PASSED OVER' },
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
  await printMemberExplanation(screen, explanation);
}

async function printMemberExplanation(
  screen: Screen,
  { text, assignor, rule }: Pick<MemberExplanationJson, 'text' | 'assignor' | 'rule'>,
): Promise<void> {
  await screen.print(`${screen.paint('bold', visible(text))}\n\n${assignor}: ${visible(rule)}\n`);
}
