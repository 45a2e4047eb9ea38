import { rightSize, rightSizeFromJson } from '@allot/planner';
import type { RightSize } from '@allot/planner';
import type { Command } from 'commander';
import { readInlineGroup, takesGroup, type InlineOptions } from '../input/inline-group.js';
import { wholeNumber, type ChangeOptions } from '../options/change-options.js';
import { askAboutGroup, changesOf, refuseFactsOfText } from '../server/group-question.js';
import { withServer, type ServerOptions } from '../server/server-options.js';
import { outputOption, type CommonOptions, type OutputFormat, type Session } from '../session.js';
import type { Screen } from '../view/screen.js';

interface RightSizeOptions extends CommonOptions, InlineOptions, ServerOptions {
  readonly output: OutputFormat;
  readonly upTo?: number;
}

const EXAMPLES = [
  'allot right-size < describe.txt',
  'allot right-size --up-to 40 --assignor range < describe.txt',
  'allot right-size --server http://127.0.0.1:3000 --group billing',
];

/** How many members really help? */
export function rightSizeCommand(session: Session): Command {
  const command = session.command('right-size', 'The numbers of members at which the busiest one has less', EXAMPLES);
  const changes = takesGroup(command, session);
  return withServer(command, 'on a group that is stored there')
    .option('--up-to <count>', 'the largest number to try', wholeNumber)
    .addOption(outputOption(['table', 'json']))
    .action(async (files: readonly string[], options: RightSizeOptions) => {
      const screen = session.screen(options);
      const result = await answer(session, screen, files, options, changes);
      if (options.output === 'json') return screen.printJson(result);
      const { now, sizes, exhaustive } = result;
      await screen.printTable(
        ['MEMBERS', 'BUSIEST', 'IDLE'].map((heading) => ({ heading, numbers: true })),
        sizes.map(({ members, busiest, idle }) => [members, busiest, idle]),
      );
      if (now !== undefined) await screen.print(describeNow(now));
      if (!exhaustive) await screen.note('note', 'larger numbers may help as well; --up-to tries them.');
    });
}

async function answer(
  session: Session,
  screen: Screen,
  files: readonly string[],
  options: RightSizeOptions,
  changes: ChangeOptions,
): Promise<RightSize> {
  const label = 'allot: trying sizes';
  const limit = options.upTo !== undefined && { upTo: options.upTo };
  if (options.server !== undefined) {
    refuseFactsOfText(files, options, changes);
    const asked = { ...limit, changes: changesOf(changes, options.assignor) };
    return askAboutGroup(session, options, 'plans/right-size', asked, label);
  }
  const { body } = await readInlineGroup(session, screen, files, options, changes);
  const { input, upTo } = rightSizeFromJson({ ...body, ...limit });
  return session.during(label, () => rightSize(input, upTo));
}

function describeNow({ members, busiest, enough }: NonNullable<RightSize['now']>): string {
  const need = enough === members ? 'and it takes all of them for that' : `for which ${enough} are enough`;
  return `\nNow ${members} members; the busiest has ${busiest}, ${need}.\n`;
}
