import { describe, expect, it } from '@jest/globals';

import { resolveAssignor } from '../../src/assignors/registry.js';
import { canonical, expected, groupOf, readVectors } from './support/vectors.js';

describe.each([['range'], ['roundrobin'], ['sticky'], ['cooperative-sticky']])('vectors of client-%s', (name) => {
  it('are all answered exactly as by Kafka', () => {
    const vectors = readVectors(name);
    const assignor = resolveAssignor(name);
    const differing = vectors.filter(
      (vector) => canonical(assignor.assign(groupOf(vector)).assignment) !== expected(vector),
    );
    expect(differing.map(({ id }) => id)).toEqual([]);
    expect(vectors).toHaveLength(1200);
  });
});
