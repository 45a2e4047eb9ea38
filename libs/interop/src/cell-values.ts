const MAX_INT32 = 2_147_483_647;
const LEGAL_TOPIC = /^[a-zA-Z0-9._-]{1,249}$/;

/** Kafka's rule for topic names: 1 to 249 of letters, digits, dot, underscore, hyphen; not `.` or `..`. */
export function isTopicName(text: string): boolean {
  return LEGAL_TOPIC.test(text) && text !== '.' && text !== '..';
}

/** A decimal integer from 0 to 2^31-1 without sign or leading blanks, or `undefined`. */
export function readInt32(text: string): number | undefined {
  if (text.length > 10 || !/^\d+$/.test(text)) return undefined;
  const value = Number(text);
  return value <= MAX_INT32 ? value : undefined;
}

/** A decimal integer that a JavaScript number holds exactly, or `undefined`. Offsets fit; Kafka's own limit is 2^63-1. */
export function readSafeInteger(text: string): number | undefined {
  if (text.length > 17 || !/^-?\d+$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** `1,2,3` (blanks after the commas allowed) as broker or partition numbers; the empty text is the empty list. */
export function readInt32List(text: string): number[] | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  const values: number[] = [];
  for (const piece of trimmed.split(',')) {
    const value = readInt32(piece.trim());
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}
