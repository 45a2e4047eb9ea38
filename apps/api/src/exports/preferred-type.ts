/**
 * The media type that an Accept header likes best (RFC 9110, section 12.5.1): the highest weight, of equal weights the one named
 * most exactly, then the one that comes first in `types`, as for a caller that takes anything. The first one as well where
 * nothing fits, which has been refused before.
 */
export function preferredType(accept: string | undefined, types: readonly string[]): string {
  const ranges = (accept ?? '*/*').split(',').map(readRange);
  let best = { type: types[0]!, weight: 0, exactness: -1 };
  for (const type of types) {
    const matching = ranges.filter(({ range }) => covers(range, type));
    // Of several ranges the most exact one says what a type weighs.
    const [most] = matching.sort((a, b) => exactnessOf(b.range) - exactnessOf(a.range));
    if (most === undefined || most.weight === 0) continue;
    const exactness = exactnessOf(most.range);
    if (most.weight > best.weight || (most.weight === best.weight && exactness > best.exactness)) {
      best = { type, weight: most.weight, exactness };
    }
  }
  return best.type;
}

function readRange(text: string): { readonly range: string; readonly weight: number } {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = quality === undefined ? 1 : Number(quality.slice(2));
  return { range, weight: weight >= 0 && weight <= 1 ? weight : 0 };
}

function covers(range: string, type: string): boolean {
  return range === type || range === '*/*' || range === `${type.split('/')[0]}/*`;
}

function exactnessOf(range: string): number {
  return range === '*/*' ? 0 : range.endsWith('/*') ? 1 : 2;
}
