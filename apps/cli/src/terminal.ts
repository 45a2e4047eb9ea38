import type { Readable, Writable } from 'node:stream';
import { type AllotError, invalidRequest } from '@allot/model';

/** A stream that may be a terminal. */
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** Everything that a run touches of its process, so that tests can hand in their own. */
export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * A signal that Ctrl-C aborts from the first call on; until then Ctrl-C ends the process at once, as a long computation
   * needs it.
   */
  interruptible(): AbortSignal;
  /** From 0 to 1, for waiting times that must differ between processes. */
  random(): number;
}

/** What a process says to the one that started it. */
export const EXIT = {
  /** Nothing would change; or the answer to a question. */
  ok: 0,
  error: 1,
  /** The plan would change something. */
  changes: 2,
  interrupted: 130,
  /** Whoever read the output has closed it; what a shell reports of a program that SIGPIPE ended. */
  outputClosed: 141,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Thrown where there is no use in going on: nobody reads the output any more. */
export class OutputClosed extends Error {}

/** Thrown when Ctrl-C ended a wait. */
export class Interrupted extends Error {}

/**
 * Writes and waits until the stream takes more.
 * @throws OutputClosed when it was closed at the other end, AllotError where it cannot be written for another reason.
 */
export async function write(stream: OutputStream, text: string): Promise<void> {
  if (text === '') return;
  await new Promise<void>((resolve, reject) => {
    stream.write(text, (error) => {
      if (error === null || error === undefined) resolve();
      else reject(isClosed(error) ? new OutputClosed('The output was closed.') : notWritten(error));
    });
  });
}

function notWritten({ message }: Error): AllotError {
  return invalidRequest(`The output cannot be written: ${message}.`);
}

function isClosed(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED' || code === 'EOF';
}
