/**
 * Places of texts in code unit order, equal ones in the order of their places.
 *
 * A merge sort that begins with the runs it finds, because ids mostly come in few of them: listed by a database, or numbered.
 * It compares in place; a comparator called for each pair would take three times as long.
 */
export function placesInOrder(texts: readonly string[]): Int32Array {
  let places = new Int32Array(texts.length);
  for (let i = 0; i < places.length; i++) places[i] = i;
  let ends = ascendingRuns(texts);
  let spare = ends.length > 1 ? new Int32Array(texts.length) : places;
  while (ends.length > 1) {
    const merged: number[] = [];
    let start = 0;
    for (let run = 0; run < ends.length; run += 2) {
      const middle = ends[run]!;
      const end = ends[run + 1] ?? middle;
      mergeRuns(texts, places, spare, start, middle, end);
      merged.push(end);
      start = end;
    }
    [places, spare] = [spare, places];
    ends = merged;
  }
  return places;
}

/** Where each run of texts that do not fall ends. */
function ascendingRuns(texts: readonly string[]): number[] {
  const ends: number[] = [];
  for (let i = 1; i < texts.length; i++) if (texts[i]! < texts[i - 1]!) ends.push(i);
  if (texts.length > 0) ends.push(texts.length);
  return ends;
}

/** Merges `from[start..middle)` and `from[middle..end)` into `to`; of equal texts those of the first run come first. */
function mergeRuns(
  texts: readonly string[],
  from: Int32Array,
  to: Int32Array,
  start: number,
  middle: number,
  end: number,
): void {
  let left = start;
  let right = middle;
  for (let i = start; i < end; i++) {
    const takeRight = left === middle || (right < end && texts[from[right]!]! < texts[from[left]!]!);
    to[i] = takeRight ? from[right++]! : from[left++]!;
  }
}
