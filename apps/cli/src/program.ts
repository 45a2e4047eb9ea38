import { Command } from 'commander';
import { applyCommand } from './commands/apply.js';
import { compareCommand } from './commands/compare.js';
import { completionCommand } from './commands/completion.js';
import { explainCommand } from './commands/explain.js';
import { importCommand } from './commands/import.js';
import { partitionCommand } from './commands/partition.js';
import { placeCommand } from './commands/place.js';
import { planCommand } from './commands/plan.js';
import { rightSizeCommand } from './commands/right-size.js';
import { simulateCommand } from './commands/simulate.js';
import { watchCommand } from './commands/watch.js';
import type { Session } from './session.js';
import { VERSION } from './version.js';

const AFTER = `
Without --server everything is computed here, from what Kafka's tools printed.

Exit codes: 0 nothing would change, 2 something would, 1 an error, 130 interrupted.
Environment: ALLOT_KEY stands for --key, and ALLOT_SERVER for the --server of apply and watch; NO_COLOR and
FORCE_COLOR are honoured.

  $ allot plan --add-members 2 < describe.txt`;

const COMMANDS = [
  planCommand,
  compareCommand,
  simulateCommand,
  explainCommand,
  rightSizeCommand,
  importCommand,
  partitionCommand,
  placeCommand,
  applyCommand,
  watchCommand,
  completionCommand,
];

/** Every command, each in a file of its own. */
export function createProgram(session: Session): Command {
  const program = new Command('allot')
    .description("Partition assignments by Apache Kafka's own rules: ask before you act.")
    .version(VERSION, '-V, --version', 'the version')
    .helpOption('-h, --help', 'this text')
    .helpCommand('help [command]', 'the same as --help')
    .addHelpText('after', AFTER)
    .showHelpAfterError('Add --help to see what there is.')
    .configureHelp({ sortSubcommands: false, showGlobalOptions: false });
  for (const make of COMMANDS) program.addCommand(prepare(make(session)));
  return program;
}

function prepare(command: Command): Command {
  return command
    .helpOption('-h, --help', 'this text')
    .showHelpAfterError(`\`allot ${command.name()} --help\` shows what there is.`);
}
