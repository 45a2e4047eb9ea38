import { Readable, Writable } from 'node:stream';
import { run } from '../src/run.js';
import type { Terminal } from '../src/terminal.js';

export interface RunOptions {
  /** What is piped in; nothing when absent. */
  readonly input?: string | Uint8Array | Readable;
  readonly env?: Readonly<Record<string, string>>;
  /** A screen of so many columns; a pipe when absent. */
  readonly columns?: number;
  /** Whether somebody sits there who can answer questions. */
  readonly keyboard?: boolean;
  readonly signal?: AbortSignal;
  readonly onOutput?: (soFar: string) => void;
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line in this process and answers what it wrote. */
export async function allot(argv: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { input = '', env = {}, columns, keyboard = false, signal = new AbortController().signal, onOutput } = options;
  const written = { out: '', err: '' };
  const screen = (name: 'out' | 'err') => {
    const stream = new Writable({
      write(chunk, _encoding, done) {
        written[name] += String(chunk);
        if (name === 'out') onOutput?.(written.out);
        done();
      },
    });
    return Object.assign(stream, columns === undefined ? {} : { isTTY: true, columns });
  };
  const stdin = input instanceof Readable ? input : Readable.from(input.length === 0 ? [] : [Buffer.from(input)]);
  const terminal: Terminal = {
    stdin: keyboard ? Object.assign(stdin, { isTTY: true }) : stdin,
    stdout: screen('out'),
    stderr: screen('err'),
    env,
    interruptible: () => signal,
    random: () => 0.5,
  };
  const code = await run(argv, terminal);
  return { code, ...written };
}
