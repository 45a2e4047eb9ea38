import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JavaRandom } from '../../src/hashing/java-random.js';

/** Printed by a Java 17: four times nextInt(), nextInt(bound) for BOUNDS, then Collections.shuffle of 0 to 7. */
const BOUNDS = [100, 64, 7, 2 ** 30, 2 ** 30 + 1, 2 ** 31 - 1, 1];
const RECORDED: [bigint, number[], number[], number[]][] = [
  [
    0n,
    [-1155484576, -723955400, 1033096058, -1690734402],
    [15, 19, 2, 125634880, 715581077, 542832677, 0],
    [1, 3, 5, 0, 6, 2, 7, 4],
  ],
  [
    42n,
    [-1170105035, 234785527, -1360544799, 205897768],
    [70, 60, 1, 759898459, 196118093, 1939977182, 0],
    [4, 3, 6, 1, 5, 7, 0, 2],
  ],
  [
    -1n,
    [1155099827, 1887904451, 52699159, -1941176418],
    [4, 38, 6, 428732739, 121412731, 1730951808, 0],
    [5, 1, 3, 2, 6, 4, 7, 0],
  ],
  [
    -(2n ** 63n),
    [-1155484576, -723955400, 1033096058, -1690734402],
    [15, 19, 2, 125634880, 715581077, 542832677, 0],
    [1, 3, 5, 0, 6, 2, 7, 4],
  ],
  [
    1234567890123456789n,
    [1298577122, -377367440, 824859912, -336471770],
    [0, 5, 4, 658180090, 152325104, 134006059, 0],
    [7, 1, 4, 5, 3, 2, 6, 0],
  ],
];

describe('JavaRandom', () => {
  it.each(RECORDED)('gives the sequence of new java.util.Random(%i)', (seed, ints, bounded, shuffled) => {
    const random = JavaRandom.seeded(seed);
    expect(ints.map(() => random.nextInt())).toEqual(ints);
    expect(BOUNDS.map((bound) => random.nextIntBelow(bound))).toEqual(bounded);
    const list = [0, 1, 2, 3, 4, 5, 6, 7];
    random.shuffle(list);
    expect(list).toEqual(shuffled);
  });

  it('goes on from its state', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.nat(20), (seed, steps) => {
        const random = JavaRandom.seeded(seed);
        for (let i = 0; i < steps; i++) random.nextInt();
        expect(JavaRandom.resumed(random.state).nextInt()).toBe(random.nextInt());
      }),
    );
  });
});
