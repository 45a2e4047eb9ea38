import { CommanderError, type Command } from 'commander';
import { describeProblem } from './problem.js';
import { createProgram } from './program.js';
import { Session } from './session.js';
import { EXIT, Interrupted, OutputClosed, write, type ExitCode, type Terminal } from './terminal.js';
import { paintFor } from './view/palette.js';

/** Runs one command line, without the name of the program, and answers its exit code. Never throws. */
export async function run(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const session = new Session(terminal);
  const said = { out: '', error: '' };
  const program = createProgram(session);
  for (const command of [program, ...program.commands]) collectOutput(command, terminal, said);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return session.exitCode;
  } catch (error) {
    return await answerError(error, session, said);
  }
}

/** Commander writes by itself and ends the process; here it does neither, so that writing can be waited for. */
function collectOutput(command: Command, { stdout, stderr }: Terminal, said: { out: string; error: string }): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => void (said.out += text),
    writeErr: (text) => void (said.error += text),
    getOutHelpWidth: () => stdout.columns ?? 100,
    getErrHelpWidth: () => stderr.columns ?? 100,
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  });
}

async function answerError(error: unknown, session: Session, said: { out: string; error: string }): Promise<ExitCode> {
  const { stdout, stderr, env } = session.terminal;
  try {
    if (error instanceof CommanderError) {
      await write(stdout, said.out);
      await write(stderr, said.error);
      return error.exitCode === 0 ? EXIT.ok : EXIT.error;
    }
    if (error instanceof OutputClosed) return EXIT.outputClosed;
    if (error instanceof Interrupted) {
      await write(stderr, `\n${error.message}\n`);
      return EXIT.interrupted;
    }
    await write(stderr, describeProblem(error, paintFor(stderr, env, session.color), session.debug, session.changes));
    return EXIT.error;
  } catch (failure) {
    if (failure instanceof OutputClosed) return error instanceof CommanderError ? EXIT.outputClosed : EXIT.error;
    throw failure;
  }
}
