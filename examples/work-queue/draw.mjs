// Draws a recorded run: `npm run demo -- --record run.json && node examples/work-queue/draw.mjs run.json docs/assets/demo.svg`.
// Time goes to the right, one row a partition, the colour is the worker that holds it; marks above say what was done to whom.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

const [, , from, to] = process.argv;
const { partitions, workers, events, lines, state } = JSON.parse(await readFile(from, 'utf8'));

const LEFT = 64;
const TOP = 86;
const ROW = 8;
const BOTTOM = 66;
const WIDTH = 880;
const HEIGHT = TOP + partitions * ROW + BOTTOM;
const seconds = Math.ceil(lines.at(-1).at);
const x = (at) => LEFT + ((WIDTH - LEFT - 20) * at) / seconds;
const y = (partition) => TOP + partition * ROW;

const names = [...new Set(lines.flatMap(({ owners }) => [...owners]).filter((name) => name !== '.'))];
/** Hues far apart for neighbours in the order of appearance. */
const colourOf = (name) => `hsl(${Math.round((names.indexOf(name) * 137.5) % 360)} 58% 56%)`;
const MARKS = {
  kill: { sign: '✕', colour: '#c0392b', text: 'killed' },
  freeze: { sign: '❄', colour: '#2f80c2', text: 'frozen' },
  leave: { sign: '↦', colour: '#6b7280', text: 'asked to leave' },
};

const cells = [];
for (let partition = 0; partition < partitions; partition++) {
  // Neighbouring seconds with one owner are one rectangle.
  for (let start = 0; start < lines.length;) {
    const owner = lines[start].owners[partition];
    let end = start;
    while (end < lines.length && lines[end].owners[partition] === owner) end++;
    const [left, right] = [
      x(start === 0 ? 0 : lines[start].at - 0.5),
      x(end === lines.length ? seconds : lines[end].at - 0.5),
    ];
    const fill = owner === '.' ? '#e5e7eb' : colourOf(owner);
    cells.push(
      `<rect x="${left.toFixed(1)}" y="${y(partition)}" width="${(right - left).toFixed(1)}" height="${ROW - 1}" fill="${fill}"/>`,
    );
    if (owner !== '.' && right - left > 60 && partition % 4 === 0) {
      cells.push(
        `<text x="${(left + 4).toFixed(1)}" y="${y(partition) + 6.5}" font-size="7" fill="#fff">${owner}</text>`,
      );
    }
    start = end;
  }
}

const marks = events.map(({ at, what, worker }) => {
  const { sign, colour } = MARKS[what];
  return `<g fill="${colour}"><text x="${x(at).toFixed(1)}" y="${TOP - 18}" text-anchor="middle" font-size="12">${sign}</text>
<text x="${x(at).toFixed(1)}" y="${TOP - 6}" text-anchor="middle" font-size="9">${worker}</text></g>
<line x1="${x(at).toFixed(1)}" y1="${TOP - 3}" x2="${x(at).toFixed(1)}" y2="${y(partitions)}" stroke="${colour}" stroke-opacity="0.35" stroke-dasharray="2 3"/>`;
});

const ticks = [];
for (let at = 0; at <= seconds; at += 5) {
  ticks.push(
    `<text x="${x(at)}" y="${y(partitions) + 14}" text-anchor="middle" font-size="10" fill="#4b5563">${at} s</text>`,
  );
}

const legend = Object.values(MARKS).map(
  ({ sign, colour, text }, i) =>
    `<text x="${LEFT + i * 120}" y="${TOP - 40}" font-size="11" fill="${colour}">${sign} ${text}</text>`,
);
const verdict = `${state.items} items: all done, ${state.twice} done twice, ${state.lost} lost; ${state.refused} late writes of frozen workers refused`;

const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="ui-sans-serif, system-ui, sans-serif" role="img" aria-label="Partitions move between workers that are killed, frozen and restarted">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>
<text x="${LEFT}" y="24" font-size="15" font-weight="600" fill="#111827">${workers} workers share the ${partitions} partitions of a queue; each colour is one worker</text>
${legend.join('\n')}
<text transform="translate(20 ${y(partitions / 2)}) rotate(-90)" text-anchor="middle" font-size="11" fill="#4b5563">partitions</text>
<g>${cells.join('\n')}</g>
${marks.join('\n')}
${ticks.join('\n')}
<text x="${LEFT}" y="${HEIGHT - 16}" font-size="13" fill="#111827">${verdict}</text>
</svg>
`;
await mkdir(dirname(to), { recursive: true });
await writeFile(to, svg);
