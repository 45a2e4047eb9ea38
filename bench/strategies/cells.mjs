/** What each assignor looks at beside members, topics and subscriptions. */
const assignors = [
  { assignor: 'range', racks: true, memory: false },
  { assignor: 'roundrobin', racks: false, memory: false },
  { assignor: 'sticky', racks: true, memory: true },
  { assignor: 'cooperative-sticky', racks: true, memory: true },
  { assignor: 'server-range', racks: false, memory: false },
  { assignor: 'uniform', racks: false, memory: true },
];

/** Every cell of the grid that can differ for an assignor; some 2,000, which takes an hour. */
export function fullGrid() {
  const cells = [];
  for (const { assignor, racks: withRacks, memory } of assignors)
    for (const members of [100, 500, 1000, 5000, 10000])
      for (const ratio of [5, 10, 50])
        for (const topics of [10, 100, 1000])
          for (const subscriptions of ['HOMOGENEOUS', 'HETEROGENEOUS', 'mixed'])
            for (const racks of withRacks ? [false, true] : [false])
              for (const before of memory ? ['FULL', 'INCREMENTAL'] : ['FULL'])
                cells.push({ assignor, members, ratio, topics, subscriptions, racks, before });
  return cells;
}

const shapes = [
  { members: 100, ratio: 10, topics: 10 },
  { members: 1000, ratio: 10, topics: 100 },
  { members: 10000, ratio: 10, topics: 1000 },
];

/** A selection that takes about two minutes. */
export function quickGrid() {
  const cells = [];
  for (const shape of shapes)
    for (const subscriptions of ['HOMOGENEOUS', 'HETEROGENEOUS', 'mixed']) {
      for (const racks of [false, true])
        cells.push({ assignor: 'range', ...shape, subscriptions, racks, before: 'FULL' });
      for (const before of ['FULL', 'INCREMENTAL']) {
        for (const assignor of ['sticky', 'uniform'])
          cells.push({ assignor, ...shape, subscriptions, racks: false, before });
      }
    }
  return cells;
}
