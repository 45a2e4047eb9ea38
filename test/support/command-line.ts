import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FROM_SOURCE = ['--no-warnings', '--import', './test/support/typescript.mjs', 'apps/cli/src/main.ts'];

export interface CommandOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly onStart?: (child: ChildProcess, output: () => string) => void;
}

export interface CommandResult {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
}

/** Runs `allot` as a process of its own, from source. */
export function runAllot(argv: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  return runProgram(process.execPath, [...FROM_SOURCE, ...argv], options);
}

/** A script for bash in which `allot` is the command line, from source; the folder is the project's. */
export function runBash(script: string, options: CommandOptions = {}): Promise<CommandResult> {
  const program = [process.execPath, ...FROM_SOURCE].map((word) => `'${word}'`).join(' ');
  return runProgram('bash', ['-c', `allot() { ${program} "$@"; }; npx() { "$@"; }\n${script}`], options);
}

function runProgram(
  program: string,
  argv: readonly string[],
  { input = '', env = {}, onStart }: CommandOptions,
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    // The caller's own settings must not colour the answer.
    const { NO_COLOR: _, FORCE_COLOR: __, NODE_OPTIONS: ___, ...inherited } = process.env;
    const child = spawn(program, argv, { cwd: ROOT, env: { ...inherited, ...env } });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk) => (out += String(chunk)));
    child.stderr.on('data', (chunk) => (err += String(chunk)));
    child.stdin.on('error', () => undefined);
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, out, err }));
    child.stdin.end(input);
    onStart?.(child, () => out);
  });
}
