import { describe, expect, it } from '@jest/globals';
import { MOST_PARTITIONS_PER_TOPIC, checkTopicName, decideTopic } from '../../src/catalog/topic-rules.js';

const ID = 'AAAAAAAAAAAAAAAAAAAAAA';
const OTHER_ID = 'BBBBBBBBBBBBBBBBBBBBBB';

function codeOf(action: () => unknown): string | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

describe('topic names', () => {
  it.each(['a', 'orders.v1', '__proto__', '-', '...', 'A_b-c.9', 'x'.repeat(249)])('%p is legal', (name) => {
    expect(codeOf(() => checkTopicName(name))).toBeUndefined();
  });

  it.each(['', '.', '..', 'a b', 'a/b', 'ä', 'a\n', 'a\0', 'x'.repeat(250)])('%p is not', (name) => {
    expect(codeOf(() => checkTopicName(name))).toBe('INVALID_TOPIC_EXCEPTION');
  });
});

describe('a new topic', () => {
  it('takes the default count only when nothing names one', () => {
    expect(decideTopic(undefined, 't', {}, 3)).toEqual({ partitions: 3, outcome: 'created' });
    expect(decideTopic(undefined, 't', { partitions: 5 }, 3).partitions).toBe(5);
    expect(decideTopic(undefined, 't', { details: [{ replicas: [1] }, { replicas: [2] }] }, 3).partitions).toBe(2);
  });

  it.each([0, -1, 1.5, Number.NaN, MOST_PARTITIONS_PER_TOPIC + 1])('is refused with %p partitions', (partitions) => {
    expect(codeOf(() => decideTopic(undefined, 't', { partitions }, 1))).toBe('INVALID_PARTITIONS');
  });

  it('keeps an id that is given and refuses one that is no Uuid', () => {
    expect(decideTopic(undefined, 't', { id: ID }, 1).id).toBe(ID);
    expect(codeOf(() => decideTopic(undefined, 't', { id: 'short' }, 1))).toBe('INVALID_REQUEST');
  });
});

describe('an existing topic', () => {
  const topic = { id: ID, partitions: 2, details: [{ replicas: [1, 2], leader: 1 }, { replicas: [2, 1] }] };

  it('grows, never shrinks', () => {
    expect(decideTopic(topic, 't', { partitions: 3 }, 1)).toMatchObject({ partitions: 3, outcome: 'changed' });
    expect(codeOf(() => decideTopic(topic, 't', { partitions: 1 }, 1))).toBe('INVALID_PARTITIONS');
    expect(codeOf(() => decideTopic(topic, 't', { details: [{ replicas: [1] }] }, 1))).toBe('INVALID_PARTITIONS');
  });

  it('says nothing of the partitions that a growth adds', () => {
    expect(decideTopic(topic, 't', { partitions: 4 }, 1).details).toEqual([
      ...topic.details,
      { replicas: [] },
      { replicas: [] },
    ]);
  });

  it('does not change when nothing differs', () => {
    expect(decideTopic(topic, 't', {}, 9).outcome).toBe('unchanged');
    expect(decideTopic(topic, 't', { id: ID, partitions: 2, details: structuredClone(topic.details) }, 9).outcome).toBe(
      'unchanged',
    );
  });

  it.each([
    ['another leader', [{ replicas: [1, 2], leader: 2 }, { replicas: [2, 1] }]],
    ['another replica order', [{ replicas: [2, 1], leader: 1 }, { replicas: [2, 1] }]],
    ['a weight', [{ replicas: [1, 2], leader: 1, weight: 2 }, { replicas: [2, 1] }]],
    ['racks', [{ replicas: [1, 2], leader: 1, racks: ['a', 'b'] }, { replicas: [2, 1] }]],
  ])('changes by %s', (_, details) => {
    expect(decideTopic(topic, 't', { details }, 1).outcome).toBe('changed');
  });

  it('keeps its id', () => {
    expect(codeOf(() => decideTopic(topic, 't', { id: OTHER_ID }, 1))).toBe('INCONSISTENT_TOPIC_ID');
  });
});

it.each([
  ['a count that the details do not match', { partitions: 2, details: [{ replicas: [1] }] }],
  ['two replicas on one broker', { details: [{ replicas: [1, 1] }] }],
  ['an ISR outside of the replicas', { details: [{ replicas: [1], isr: [2] }] }],
  ['racks that do not match the replicas', { details: [{ replicas: [1, 2], racks: ['a'] }] }],
  ['a negative weight', { details: [{ replicas: [], weight: -1 }] }],
])('refuses %s', (_, change) => {
  expect(codeOf(() => decideTopic(undefined, 't', change, 1))).toBe('INVALID_REQUEST');
});

it('takes racks of partitions whose replicas are unknown', () => {
  expect(decideTopic(undefined, 't', { details: [{ replicas: [], racks: ['a', 'b'] }] }, 1).outcome).toBe('created');
});
