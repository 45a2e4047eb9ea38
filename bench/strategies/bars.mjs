import murmurhash from 'murmurhash-js';

import { murmur2, murmur2Batch, packKeys, resolveAssignor } from '../../libs/strategies/dist/index.js';
import { indexServerGroup } from '../../libs/strategies/dist/assignors/server-group.js';
import { toHomogeneous } from '../../libs/strategies/dist/assignors/uniform.js';
import { assignHomogeneous } from '../../libs/strategies/dist/assignors/uniform/homogeneous.js';
import { passOver, writesOf } from './floors.mjs';
import { groupOf } from './groups.mjs';
import { compare, transientMegabytes } from './measure.mjs';

const ROUNDS = 7;
const KAFKA_SEED = 0x9747b28c;

/** A function that runs a cell, and its group. */
function prepare(cell) {
  const assignor = resolveAssignor(cell.assignor);
  const group = groupOf({ racks: false, ...cell }, assignor);
  return { group, run: () => assignor.assign(group) };
}

/** The rule itself, on dense arrays. What it costs from and to names as well is in the grid. */
function uniformRule(before) {
  const cell = { assignor: 'uniform', members: 10000, ratio: 10, topics: 1000, subscriptions: 'HOMOGENEOUS', before };
  const dense = toHomogeneous(indexServerGroup(prepare(cell).group));
  const run = () => assignHomogeneous(dense, 'as-needed');
  return compare(run, passOver(dense.previous, cell.members), ROUNDS).ratio;
}

/** Keys of 16 bytes; more lengths are in test/bench/key-hashing.ts. */
const keys = Array.from({ length: 1000 }, (_, i) =>
  Buffer.from(`user-${String(i * 7919).padStart(11, '0')}`, 'latin1'),
);
const latin1 = keys.map((bytes) => bytes.toString('latin1'));

function hashByLibrary() {
  let sum = 0;
  for (let i = 0; i < latin1.length; i++) sum ^= murmurhash.murmur2(latin1[i], KAFKA_SEED);
  return sum;
}

const bars = {
  'P1 FULL': () => ({
    text: 'uniform 10000/10/1000 HOMOGENEOUS FULL, the rule / one pass over owners',
    value: uniformRule('FULL'),
    bar: 6,
    stretch: 2,
  }),
  'P1 INCREMENTAL': () => ({
    text: 'uniform 10000/10/1000 HOMOGENEOUS INCREMENTAL, the rule / one pass over owners',
    value: uniformRule('INCREMENTAL'),
    bar: 6,
    stretch: 2,
  }),
  P3: () => {
    const cell = {
      assignor: 'uniform',
      ratio: 10,
      topics: 1000,
      subscriptions: 'HETEROGENEOUS',
      before: 'INCREMENTAL',
    };
    const large = prepare({ ...cell, members: 10000 });
    const small = prepare({ ...cell, members: 1000 });
    return {
      text: 'uniform HETEROGENEOUS INCREMENTAL, 10,000 members / 1,000',
      value: compare(large.run, small.run, ROUNDS).ratio,
      bar: 12,
      stretch: 10,
    };
  },
  'P4 buckets': () => cooperative('HETEROGENEOUS'),
  'P4 mixed': () => cooperative('mixed'),
  'P4 largest': () => {
    const { run } = prepare({
      assignor: 'cooperative-sticky',
      members: 10000,
      ratio: 10,
      topics: 100,
      subscriptions: 'mixed',
      before: 'FULL',
    });
    const seconds = compare(run, () => undefined, 5).ms / 1000;
    return {
      text: 'cooperative-sticky 10000/10/100 mixed FULL, seconds',
      value: seconds,
      bar: 5,
      stretch: 5,
      unit: ' s',
    };
  },
  P5: () => ({
    text: 'sticky, 1 million partitions, 2,000 members / 1 million writes',
    value: compare(million().run, writesOf(1_000_000), ROUNDS).ratio,
    bar: 20,
    stretch: 8,
  }),
  'P5 heap': () => ({
    text: 'the same, transient heap',
    value: transientMegabytes(million().run),
    bar: 64,
    stretch: 64,
    unit: ' MB',
  }),
  'P6 one by one': () => {
    const hash = () => {
      let sum = 0;
      for (let i = 0; i < keys.length; i++) sum ^= murmur2(keys[i]);
      return sum;
    };
    const { ratio } = compare(hash, hashByLibrary, ROUNDS);
    return { text: 'murmur2 of bytes, time / murmurhash-js of latin1', value: ratio, bar: 1 / 3.5, stretch: 1 / 4 };
  },
  'P6 batch': () => {
    const packed = packKeys(keys);
    const hashes = new Int32Array(keys.length);
    const { ratio } = compare(() => murmur2Batch(packed, hashes), hashByLibrary, ROUNDS);
    return { text: 'murmur2 of a batch, time / murmurhash-js of latin1', value: ratio, bar: 1 / 6, stretch: 1 / 8 };
  },
};

function cooperative(subscriptions) {
  const cell = { assignor: 'cooperative-sticky', members: 1000, ratio: 10, topics: 100, before: 'INCREMENTAL' };
  const mixed = prepare({ ...cell, subscriptions });
  const equal = prepare({ ...cell, subscriptions: 'HOMOGENEOUS' });
  return {
    text: `cooperative-sticky 1000/10/100 INCREMENTAL, ${subscriptions} / HOMOGENEOUS`,
    value: compare(mixed.run, equal.run, ROUNDS).ratio,
    bar: 50,
    stretch: 10,
  };
}

function million() {
  return prepare({
    assignor: 'sticky',
    members: 2000,
    ratio: 500,
    topics: 1000,
    subscriptions: 'HOMOGENEOUS',
    before: 'FULL',
  });
}

export const barNames = ['P1 FULL', 'P1 INCREMENTAL', 'P2', ...Object.keys(bars).slice(2)];

export async function measureBar(name) {
  return bars[name]();
}
