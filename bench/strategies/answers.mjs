/**
 * node --expose-gc bench/strategies/answers.mjs   (after `npx tsc -b libs/strategies`)
 *
 * Where an answer's time goes when all of it is read, in CPU milliseconds: `reading` the group is the floor of floors.mjs,
 * `making` fills maps and lists of the same shape from flat numbers and does nothing else. Neither can be avoided by an
 * assignor that answers with maps of lists; `computed` is the call alone, `read whole` the call and a walk over everything.
 */
import { resolveAssignor } from '../../libs/strategies/dist/index.js';
import { floorOf } from './floors.mjs';
import { cellName, groupOf } from './groups.mjs';
import { compare } from './measure.mjs';

const cells = [
  { assignor: 'server-range', members: 100, ratio: 5, topics: 10, subscriptions: 'HOMOGENEOUS' },
  { assignor: 'server-range', members: 10000, ratio: 10, topics: 1000, subscriptions: 'HOMOGENEOUS' },
  { assignor: 'range', members: 1000, ratio: 10, topics: 100, subscriptions: 'mixed' },
  { assignor: 'uniform', members: 1000, ratio: 10, topics: 100, subscriptions: 'mixed' },
  { assignor: 'uniform', members: 10000, ratio: 10, topics: 1000, subscriptions: 'HOMOGENEOUS' },
  { assignor: 'sticky', members: 2000, ratio: 500, topics: 100, subscriptions: 'HOMOGENEOUS' },
];

/** Makes the same maps and lists from flat arrays. */
function maker(assignment) {
  const flat = [...assignment.values()].map((owned) =>
    [...owned].map(([topic, numbers]) => [topic, Int32Array.from(numbers)]),
  );
  return () =>
    flat.map((entries) => {
      const owned = new Map();
      for (const [topic, numbers] of entries) {
        const list = new Array(numbers.length);
        for (let i = 0; i < numbers.length; i++) list[i] = numbers[i];
        owned.set(topic, list);
      }
      return owned;
    });
}

function walk(assignment) {
  let count = 0;
  for (const owned of assignment.values()) for (const numbers of owned.values()) count += numbers.length;
  return count;
}

console.log('| cell | reading | computed | making | read whole |');
console.log('| --- | ---: | ---: | ---: | ---: |');
for (const cell of cells.map((shape) => ({ ...shape, racks: false, before: 'FULL' }))) {
  const assignor = resolveAssignor(cell.assignor);
  const group = groupOf(cell, assignor);
  const assign = () => assignor.assign(group).assignment;
  const answer = assign();
  const { ms: computed, baseMs: reading } = compare(assign, floorOf(group), 7);
  const { ms: whole, baseMs: making } = compare(() => walk(assign()), maker(answer), 7);
  const numbers = [reading, computed, making, whole].map((ms) => Number(ms.toPrecision(2)));
  console.log(`| ${cellName(cell)} | ${numbers.join(' | ')} |`);
}
