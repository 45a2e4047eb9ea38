import { invalidRequest } from '@allot/model';

/** Where a page ended: the last key of it. */
export type PageKey = string | number;

/**
 * The opaque form of a key, used for `pageToken` and for GraphQL cursors. `kind` names the list, so that a token of another
 * list is refused instead of starting somewhere arbitrary.
 */
export function encodeCursor(kind: string, key: PageKey): string {
  return Buffer.from(JSON.stringify([kind, key])).toString('base64url');
}

/** @throws AllotError INVALID_REQUEST unless `encodeCursor` made it for this kind of list. */
export function decodeCursor<K extends PageKey>(
  kind: string,
  type: K extends number ? 'number' : 'string',
  cursor: string,
  parameter = 'pageToken',
): K {
  try {
    const decoded = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown;
    if (Array.isArray(decoded) && decoded[0] === kind && typeof decoded[1] === type) {
      const key = decoded[1] as K;
      if (encodeCursor(kind, key) === cursor) return key;
    }
  } catch {
    // Falls through to the refusal below.
  }
  const detail = 'is not a token of this list; take it from an earlier page, or leave it out for the first one';
  throw invalidRequest(`${parameter} ${detail}.`, [{ pointer: parameter, detail }]);
}
