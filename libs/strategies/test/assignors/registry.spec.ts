import { AllotError } from '@allot/model';
import { describe, expect, it } from '@jest/globals';

import {
  assignorNames,
  DEFAULT_ASSIGNOR,
  findAssignor,
  listAssignors,
  resolveAssignor,
  resolvePreferredAssignor,
} from '../../src/assignors/registry.js';
import { count, group, sizes } from './support/groups.js';

const error = (run: () => unknown): AllotError => {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof AllotError) return thrown;
  }
  throw new Error('expected an AllotError');
};

describe('the registry of assignors', () => {
  it('knows the four of the Java client, range being the default', () => {
    expect(assignorNames()).toEqual(expect.arrayContaining(['range', 'roundrobin', 'sticky', 'cooperative-sticky']));
    expect(assignorNames()[0]).toBe(DEFAULT_ASSIGNOR);
    expect(new Set(assignorNames()).size).toBe(listAssignors().length);
  });

  it.each([
    ['org.apache.kafka.clients.consumer.RangeAssignor', 'range'],
    ['org.apache.kafka.clients.consumer.RoundRobinAssignor', 'roundrobin'],
    ['org.apache.kafka.clients.consumer.StickyAssignor', 'sticky'],
    ['org.apache.kafka.clients.consumer.CooperativeStickyAssignor', 'cooperative-sticky'],
    ['sticky', 'sticky'],
  ])('resolves %s to %s', (alias, name) => expect(resolveAssignor(alias).name).toBe(name));

  it('refuses an unknown name and says which ones there are', () => {
    expect(findAssignor('Range')).toBeUndefined();
    const { code, message, action } = error(() => resolveAssignor('Range'));
    expect({ code, action }).toEqual({ code: 'UNSUPPORTED_ASSIGNOR', action: 'fix-request' });
    for (const name of ['"Range"', ...assignorNames()]) expect(message).toContain(name);
  });

  it('takes the first known entry of a preference list', () => {
    const list = ['com.example.Own', 'org.apache.kafka.clients.consumer.CooperativeStickyAssignor', 'range'];
    expect(resolvePreferredAssignor(list).name).toBe('cooperative-sticky');
    expect(error(() => resolvePreferredAssignor(['a', 'b'])).message).toMatch(/"a", "b"/);
    expect(error(() => resolvePreferredAssignor([])).message).toMatch(/empty/);
  });

  it('gives two of 10 partitions to each of 5 members, whichever assignor is asked', () => {
    const spec = group({ t: 10 }, count(5, 't'));
    for (const assignor of listAssignors()) {
      expect(new Set(Object.values(sizes(assignor.assign(spec).target)))).toEqual(new Set([2]));
    }
  });
});

describe('an asked-for Kafka version', () => {
  const spec = group({ t: 1 }, { a: 't' });

  it.each([
    ['range', '3.4', '3.5'],
    ['roundrobin', '3.4', '3.5'],
    ['sticky', '3.7.0', '3.7.1'],
    ['cooperative-sticky', '3.7.0', '3.7.1'],
  ])('%s refuses %s, whose rule is another or unknown, and takes %s', (name, refused, taken) => {
    const assignor = resolveAssignor(name);
    expect(error(() => assignor.assign(spec, { kafkaVersion: refused })).code).toBe('UNSUPPORTED_KAFKA_VERSION');
    expect(sizes(assignor.assign(spec, { kafkaVersion: taken }).target)).toEqual({ a: 1 });
  });
});
