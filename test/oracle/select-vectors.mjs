// Picks a small, varied part of generated vectors for committing: node select-vectors.mjs IN.jsonl.gz OUT.jsonl.gz [bytes]
// Every kind of story gets its share (the kind is the word before the number in a line's id), short lines mostly and a few
// long ones, because trees in Java's hash maps need many members. Placement and key lines have no kind and share one.
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';

const [input, output, bytes = '140000'] = process.argv.slice(2);
const MOST_LINES = 300;
const SHORT = 5_000;
const LONG = 40_000;

const kinds = new Map();
for (const text of gunzipSync(readFileSync(input)).toString('utf8').split('\n')) {
  if (text === '' || text.length > LONG) continue;
  const kind = JSON.parse(text).id?.split('-').at(-2) ?? 'all';
  const { short, long } = kinds.get(kind) ?? { short: [], long: [] };
  (text.length <= SHORT ? short : long).push(text);
  kinds.set(kind, { short, long });
}

const picked = [];
for (const { short, long } of kinds.values()) {
  const share = Math.floor(MOST_LINES / kinds.size);
  picked.push(...spread(long, Math.floor(share / 12)), ...spread(short, share - Math.floor(share / 12)));
}
let zipped;
do {
  zipped = gzipSync(`${picked.join('\n')}\n`, { level: 9 });
} while (zipped.length > Number(bytes) && picked.splice(picked.length - 1 - (picked.length % 7), 1).length > 0);
writeFileSync(output, zipped);
console.log(`${output}: ${picked.length} lines, ${zipped.length} bytes`);

/** `count` items, evenly spaced. */
function spread(items, count) {
  if (items.length <= count) return items;
  return Array.from({ length: count }, (_, i) => items[Math.floor((i * items.length) / count)]);
}
