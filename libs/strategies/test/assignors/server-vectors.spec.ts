import { describe, expect, it } from '@jest/globals';
import { fileURLToPath } from 'node:url';

import { checkFile } from '../../../../test/conformance/conformance.js';

const vectors = fileURLToPath(new URL('../../../../test/conformance/vectors/', import.meta.url));

describe("the broker's answers", () => {
  it.each([
    ['server-range', 1000],
    ['server-uniform', 1000],
    ['server-uniform-4.0-larger', 460],
    ['server-uniform-4.1', 460],
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
