const RANGE = { assignor: 'range', before: 'FULL' };

/** Every cell of the grid for the assignors without memory, and FULL and INCREMENTAL for the sticky ones. */
export function fullGrid() {
  const cells = [];
  for (const assignor of ['range', 'roundrobin', 'sticky', 'cooperative-sticky', 'server-range', 'uniform'])
    for (const members of [100, 500, 1000, 5000, 10000])
      for (const ratio of [5, 10, 50])
        for (const topics of [10, 100, 1000])
          for (const subscriptions of ['HOMOGENEOUS', 'HETEROGENEOUS', 'mixed'])
            for (const racks of assignor === 'uniform' || assignor === 'roundrobin' ? [false] : [false, true])
              for (const before of assignor.includes('range') || assignor === 'roundrobin'
                ? ['FULL']
                : ['FULL', 'INCREMENTAL'])
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
      for (const racks of [false, true]) cells.push({ ...RANGE, ...shape, subscriptions, racks });
      for (const before of ['FULL', 'INCREMENTAL']) {
        for (const assignor of ['sticky', 'uniform'])
          cells.push({ assignor, ...shape, subscriptions, racks: false, before });
      }
    }
  return cells;
}
