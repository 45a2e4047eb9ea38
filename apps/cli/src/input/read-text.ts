import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { AllotError, invalidRequest } from '@allot/model';
import type { Screen } from '../view/screen.js';

/** A description of a large cluster has some 5 MB; beyond this somebody piped the wrong thing. */
export const MOST_BYTES = 64 * 2 ** 20;

/** The text of one or several files, one after the other, and where each began. */
export interface SourceText {
  readonly text: string;
  /** `topics.txt:12` for a line of the whole; `line 12` while there is one source only. */
  locate(lineNumber: number): string;
}

/**
 * Reads files, `-` or none being stdin, as one text. UTF-8, or UTF-16 with its mark, as PowerShell writes files.
 *
 * @throws AllotError for what cannot be read, is not text, or is larger than 64 MiB
 */
export async function readSources(files: readonly string[], screen: Screen): Promise<SourceText> {
  const names = files.length === 0 ? ['-'] : files;
  if (names.filter((name) => name === '-').length > 1) throw invalidRequest('stdin (-) can be read only once.');
  const parts: { name: string; lines: number }[] = [];
  let whole = '';
  for (const name of names) {
    const bytes = name === '-' ? await readStdin(screen) : await readFile(name);
    const text = decode(bytes, name === '-' ? 'stdin' : name);
    const ended = text === '' || text.endsWith('\n') ? text : `${text}\n`;
    whole += ended;
    parts.push({ name: name === '-' ? 'stdin' : name, lines: countLines(ended) });
  }
  return { text: whole, locate: (lineNumber) => locate(parts, lineNumber) };
}

function locate(parts: readonly { readonly name: string; readonly lines: number }[], lineNumber: number): string {
  if (parts.length === 1) return `line ${lineNumber}`;
  let rest = lineNumber;
  for (const { name, lines } of parts) {
    if (rest <= lines) return `${name}:${rest}`;
    rest -= lines;
  }
  return `line ${lineNumber}`;
}

async function readStdin(screen: Screen): Promise<Buffer> {
  const { stdin } = screen.terminal;
  if (stdin.isTTY === true) {
    await screen.note('note', 'reading from the terminal: paste, then press Enter and Ctrl-D. Or name files.');
  }
  return readAll(stdin, 'stdin');
}

async function readFile(name: string): Promise<Buffer> {
  const file = await open(name, 'r').catch((error: NodeJS.ErrnoException) => {
    throw invalidRequest(`${name} cannot be read: ${reasonOf(error)}.`);
  });
  try {
    return await readAll(file.createReadStream({ autoClose: false }), name);
  } catch (error) {
    if (error instanceof AllotError) throw error;
    throw invalidRequest(`${name} cannot be read: ${reasonOf(error as NodeJS.ErrnoException)}.`);
  } finally {
    await file.close();
  }
}

async function readAll(stream: Readable, name: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk as Uint8Array | string);
    chunks.push(bytes);
    size += bytes.length;
    if (size > MOST_BYTES) {
      const limit = MOST_BYTES / 2 ** 20;
      throw invalidRequest(
        `${name} is larger than ${limit} MiB, which no output of Kafka's tools is: give it in parts.`,
      );
    }
  }
  return Buffer.concat(chunks);
}

function decode(bytes: Buffer, name: string): string {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // Said below, with what text of zeros is told.
  }
  throw invalidRequest(`${name} is not text in UTF-8: is it compressed, or the wrong file?`);
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

/** What a person makes of a failed system call. */
export function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  const reasons: Record<string, string> = {
    ENOENT: 'there is no such file',
    EACCES: 'permission is denied',
    EISDIR: 'it is a folder',
    EEXIST: 'it exists already',
  };
  return (code !== undefined && reasons[code]) || message;
}
