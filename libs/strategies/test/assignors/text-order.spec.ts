import { compareText } from '@allot/model';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';

import { placesInOrder } from '../../src/assignors/text-order.js';

it('orders places by text, equal texts by place, whatever runs the list begins with', () => {
  const word = fc.oneof(fc.constantFrom('', 'a', 'aa', 'Z', 'é', '😀', '￿'), fc.string({ maxLength: 3 }));
  fc.assert(
    fc.property(fc.array(fc.array(word, { maxLength: 6 }).map((run) => run.sort(compareText))), (runs) => {
      const texts = runs.flat();
      const expected = [...texts.keys()].sort((a, b) => compareText(texts[a]!, texts[b]!) || a - b);
      expect([...placesInOrder(texts)]).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});
