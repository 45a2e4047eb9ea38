import { styleText } from 'node:util';
import type { OutputStream } from '../terminal.js';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Colours a text, or leaves it as it is. */
export type Paint = (style: Style, text: string) => string;

export const plain: Paint = (_style, text) => text;

const coloured: Paint = (style, text) => styleText(style, text, { validateStream: false });

/**
 * Colours for a stream. `--color` and `--no-color` decide (`flag`), then NO_COLOR (set to anything, https://no-color.org), then
 * FORCE_COLOR (set, and not 0), then whether the stream is a terminal that can.
 */
export function paintFor(
  stream: OutputStream,
  env: Readonly<Record<string, string | undefined>>,
  flag: boolean | undefined,
): Paint {
  return usesColour(stream, env, flag) ? coloured : plain;
}

function usesColour(stream: OutputStream, env: Readonly<Record<string, string | undefined>>, flag?: boolean): boolean {
  if (flag !== undefined) return flag;
  if (env['NO_COLOR']) return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}
