import { describe, expect, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { checkFile, holds } from '../../conformance/conformance.js';

const vectors = fileURLToPath(new URL('../../conformance/vectors/', import.meta.url));

describe('answers recorded from Kafka', () => {
  it.each(readdirSync(vectors))('%s: all of them', async (file) => {
    const report = await checkFile(`${vectors}${file}`);
    expect(report).toMatchObject({ differences: [], problems: [] });
    expect(holds(report)).toBe(true);
  });
});
