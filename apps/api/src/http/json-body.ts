import { AllotError } from '@allot/model';
import { LIMITS } from '../config/limits.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a JSON body. Keys such as `__proto__` are data here (a Kafka topic may be called so): JSON.parse makes ordinary own
 * properties of them, and code that reads bodies must not copy them into plain objects. An empty body is `undefined`.
 */
export function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  const text = decodeUtf8(body);
  refuseDeepNesting(text);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw malformed(`The body is not JSON: ${describe(error, text)}.`);
  }
}

/** Bytes as text; bytes that are no UTF-8 are refused, because replacing them would change names silently. */
export function decodeUtf8(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw malformed('The body is not UTF-8.');
  }
}

/** What follows walks bodies recursively, so nesting is bounded before anything is parsed. */
function refuseDeepNesting(text: string): void {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (inString) {
      if (c === 0x5c) i++;
      else if (c === 0x22) inString = false;
    } else if (c === 0x22) inString = true;
    else if (c === 0x7b || c === 0x5b) {
      if (++depth > LIMITS.jsonDepth) {
        throw malformed(`The body nests deeper than ${LIMITS.jsonDepth} levels.`);
      }
    } else if (c === 0x7d || c === 0x5d) depth--;
  }
}

/** Where it went wrong as far as the engine says, without repeating the body, which may be large. */
function describe(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : '';
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) {
    const before = text.slice(0, Number(position));
    return `unexpected character at line ${before.split('\n').length}, column ${before.length - before.lastIndexOf('\n')}`;
  }
  const token = /^Unexpected token '(.)'/u.exec(message)?.[1];
  return token === undefined ? 'it ends too early' : `unexpected character ${JSON.stringify(token)}`;
}

function malformed(message: string): AllotError {
  return new AllotError('MALFORMED_JSON', message, { action: 'fix-request' });
}
