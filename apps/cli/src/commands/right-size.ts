import { rightSize, rightSizeFromJson } from '@allot/planner';
import type { RightSize } from '@allot/planner';
import type { Command } from 'commander';
import { readInlineGroup, takesGroup, type InlineOptions } from '../input/inline-group.js';
import { wholeNumber } from '../options/change-options.js';
import { outputOption, type CommonOptions, type OutputFormat, type Session } from '../session.js';

interface RightSizeOptions extends CommonOptions, InlineOptions {
  readonly output: OutputFormat;
  readonly upTo?: number;
}

const EXAMPLES = ['allot right-size < describe.txt', 'allot right-size --up-to 40 --assignor range < describe.txt'];

/** How many members really help? */
export function rightSizeCommand(session: Session): Command {
  const command = session.command('right-size', 'The numbers of members at which the busiest one has less', EXAMPLES);
  const changes = takesGroup(command, session);
  return command
    .option('--up-to <count>', 'the largest number to try', wholeNumber)
    .addOption(outputOption(['table', 'json']))
    .action(async (files: readonly string[], options: RightSizeOptions) => {
      const screen = session.screen(options);
      const { body } = await readInlineGroup(session, screen, files, options, changes);
      const { input, upTo } = rightSizeFromJson({ ...body, ...(options.upTo !== undefined && { upTo: options.upTo }) });
      const result = await session.during('allot: trying sizes', () => rightSize(input, upTo));
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

function describeNow({ members, busiest, enough }: NonNullable<RightSize['now']>): string {
  const need = enough === members ? 'and it takes all of them for that' : `for which ${enough} are enough`;
  return `\nNow ${members} members; the busiest has ${busiest}, ${need}.\n`;
}
