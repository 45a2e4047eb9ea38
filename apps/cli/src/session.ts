import { Command, Option } from 'commander';
import type { ChangeOptions } from './options/change-options.js';
import { number } from './options/change-options.js';
import { EXIT, type ExitCode, type Terminal } from './terminal.js';
import { during } from './view/progress.js';
import { Screen } from './view/screen.js';

/** Options that every command has. */
export interface CommonOptions {
  readonly color?: boolean;
  readonly width?: number;
  readonly debug?: boolean;
}

export type OutputFormat = 'table' | 'json' | 'csv' | 'markdown';

/** One run of the program: where it writes, and what it answers to its caller. */
export class Session {
  exitCode: ExitCode = EXIT.ok;
  /** The options of changes of the command that runs, so that errors can name them. */
  changes: ChangeOptions | undefined;
  debug = false;
  color: boolean | undefined;

  constructor(readonly terminal: Terminal) {}

  screen({ color, width }: CommonOptions): Screen {
    return new Screen(this.terminal, { ...(color !== undefined && { color }), ...(width !== undefined && { width }) });
  }

  during<T>(label: string, work: () => T | Promise<T>): Promise<T> {
    return during(label, this.terminal.stderr, work);
  }

  /** A command with the common options, whose answer becomes the exit code. */
  command(name: string, summary: string, examples: readonly string[]): Command {
    return new Command(name)
      .description(summary)
      .addOption(new Option('--color', 'colours, even where the output is no terminal'))
      .addOption(new Option('--no-color', 'no colours; NO_COLOR does the same'))
      .addOption(
        new Option('--width <columns>', 'columns that tables may take; 0 for as many as they need').argParser(number),
      )
      .addOption(new Option('--debug', 'with errors, where in the program they come from'))
      .hook('preAction', (command) => {
        const { debug, color } = command.opts<CommonOptions>();
        this.debug = debug === true;
        this.color = color;
      })
      .addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`);
  }
}

/** `--output`, with the formats that a command has; the first one is the default. */
export function outputOption(formats: readonly OutputFormat[]): Option {
  return new Option('-o, --output <format>', 'how the answer is written').choices(formats).default(formats[0]);
}
