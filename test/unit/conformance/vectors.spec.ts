import { describe, expect, it } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import { checkFile } from '../../conformance/conformance.js';

const vectors = fileURLToPath(new URL('../../conformance/vectors/', import.meta.url));

describe('answers recorded from Kafka', () => {
  it.each([
    ['coordinator-lookup', 500],
    ['partitioner-murmur2', 5_000],
    ['placement-admin-utils', 400],
    ['placement-kraft-striped', 400],
    ['placement-kraft-striped-mixed-racks', 397],
  ])('%s: all %i', async (name, total) => {
    expect(await checkFile(`${vectors}${name}.jsonl.gz`)).toEqual({
      total,
      matched: total,
      differences: [],
      problems: [],
      problemCount: 0,
    });
  });
});
