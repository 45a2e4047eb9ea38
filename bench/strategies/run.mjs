/**
 * npm run bench:strategies [-- --full] [-- --only START] [-- --save]
 *
 * Measures the strategies against floors (floors.mjs), each pair alternately, in CPU time, medians of five rounds and more,
 * and checks the bars. Prints the change against bench/strategies/baseline.json; --save replaces that. Never a test: the
 * exit code is 0 whatever the numbers are.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

import { resolveAssignor } from '../../libs/strategies/dist/index.js';
import { barNames, measureBar } from './bars.mjs';
import { fullGrid, quickGrid } from './cells.mjs';
import { floorOf } from './floors.mjs';
import { cellName, groupOf } from './groups.mjs';
import { compare } from './measure.mjs';

const args = process.argv.slice(2);
const only = args.includes('--only') ? args[args.indexOf('--only') + 1] : '';
const baselineFile = new URL('baseline.json', import.meta.url);
const baseline = JSON.parse(readFileSync(baselineFile, 'utf8'));
const measured = {};

const number = (value) => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);

console.log(
  `Node ${process.version}, ${cpus().length} x ${cpus()[0].model.trim()}; CPU milliseconds, medians of rounds measured alternately\n`,
);

console.log(
  `${'cell: members/partitions per member/topics'.padEnd(62)} ${'ms'.padStart(9)} ${'/ floor'.padStart(8)}  before`,
);
let worst = { ratio: 0, name: '' };
for (const cell of args.includes('--full') ? fullGrid() : quickGrid()) {
  const name = cellName(cell);
  if (!name.startsWith(only)) continue;
  const assignor = resolveAssignor(cell.assignor);
  const group = groupOf(cell, assignor);
  const { ms, ratio } = compare(() => assignor.assign(group), floorOf(group), 5);
  measured[name] = { ms: Number(ms.toPrecision(3)), ratio: Number(ratio.toPrecision(3)) };
  const before = baseline.cells[name];
  const change = before === undefined ? 'new' : `${number(before.ratio)} (${number(ratio / before.ratio)}x)`;
  console.log(`${name.padEnd(62)} ${number(ms).padStart(9)} ${number(ratio).padStart(8)}  ${change}`);
  if (cell.assignor === 'range' && ratio > worst.ratio) worst = { ratio, name };
}

console.log('');
const verdicts = [];
for (const name of barNames) {
  if (only !== '' && !name.startsWith(only)) continue;
  const { text, value, bar, stretch, unit = 'x' } = name === 'P2' ? rangeBar() : await measureBar(name);
  const verdict = Number.isNaN(value)
    ? 'not measured'
    : value <= stretch
      ? 'stretch'
      : value <= bar
        ? 'holds'
        : 'MISSED';
  verdicts.push(`${name} ${verdict}`);
  if (!Number.isNaN(value)) measured[`${name}: ${text}`] = { ratio: Number(value.toPrecision(3)) };
  console.log(
    `${name}  ${text}: ${number(value)}${unit}, bar ${number(bar)}${unit}, stretch ${number(stretch)}${unit}: ${verdict}`,
  );
}

function rangeBar() {
  return {
    text: `range, the worst cell measured (${worst.name || 'none'}) / floor`,
    value: worst.ratio || Number.NaN,
    bar: 6,
    stretch: 2,
  };
}

if (args.includes('--save')) {
  const cells = { ...baseline.cells, ...measured };
  const machine = `${cpus().length} x ${cpus()[0].model.trim()}, Node ${process.version}`;
  writeFileSync(baselineFile, `${JSON.stringify({ machine, cells }, undefined, 2)}\n`);
}
console.log(`\n${verdicts.join('; ')}`);
