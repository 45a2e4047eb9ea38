import { describe, expect, it } from '@jest/globals';

import { isKafkaAtLeast, requireKafka } from '../../src/assignors/kafka-version.js';

describe('Kafka versions', () => {
  it.each([
    ['4.0', '4.0.1', false],
    ['4.0.0', '4.0.1', false],
    ['4.0.1', '4.0.1', true],
    ['4.0.10', '4.0.9', true],
    ['4.10', '4.9', true],
    ['3.10', '4.0', false],
    ['0.8.2.2', '0.8.2', true],
    ['5.0.0-rc1', '4.1', true],
    [undefined, '4.1', true],
    ['four', '4.1', false],
  ])('%s is at least %s: %s', (asked, version, expected) => {
    expect(isKafkaAtLeast(asked, version)).toBe(expected);
  });

  it('counts every patch of the last version', () => {
    const versions = { first: '0.8', last: '1.1' };
    for (const asked of [undefined, '0.8', '0.11.0.3', '1.1', '1.1.1']) requireKafka(asked, 'x', versions);
    for (const asked of ['0.7.2', '1.2', '2.0'])
      expect(() => requireKafka(asked, 'x', versions)).toThrow(`has no rule for Kafka ${asked}. Known: 0.8 to 1.1.`);
  });

  it.each(['', '4', '4.', 'v4.0', '4.0.0.0.0', '4.0 ', '٤.٠', '99999.1'])('"%s" is no version', (asked) => {
    expect(() => requireKafka(asked, 'x', { first: '0.1' })).toThrow(
      expect.objectContaining({
        code: 'UNSUPPORTED_KAFKA_VERSION',
        message: `"${asked}" is not a Kafka version. Known: 0.1 and later.`,
        facts: { asked, known: '0.1 and later' },
      }),
    );
  });
});
