import { describe, expect, it } from '@jest/globals';
import { recommend } from '../src/recommend.js';
import { member, members, topics } from './support/groups.js';

describe('settings that make a rolling deploy cheaper', () => {
  const deploy = { topics: topics({ orders: 40 }), members: members(20, ['orders']), steps: [{ rollingRestart: {} }] };

  it('are each measured against the sequence as it is', () => {
    const { baseline, recommendations } = recommend({ ...deploy, assignor: 'sticky' });
    expect(baseline).toMatchObject({ rebalances: 40, partitionSecondsPaused: 40 * 40 * 3 });
    for (const { total, saved } of recommendations) {
      expect(total.moves + saved.moves).toBe(baseline.moves);
      expect(total.partitionSecondsPaused + saved.partitionSecondsPaused).toBe(baseline.partitionSecondsPaused);
    }
    const gains = new Map(
      recommendations.map(({ setting, how, saved }) => [setting === 'batch-size' ? how : setting, saved]),
    );
    expect([...gains.keys()].sort()).toEqual([
      'Deploy 2 members at a time.',
      'Deploy 5 members at a time.',
      'consumer-protocol',
      'cooperative-protocol',
      'static-membership',
    ]);
    // Static: 40 partitions wait 20 s each, and nothing moves. Consumer: what moves pauses for 5 s.
    expect(gains.get('static-membership')).toMatchObject({
      rebalances: 40,
      moves: baseline.moves,
      partitionSecondsPaused: 4800 - 800,
    });
    expect(gains.get('cooperative-protocol')!.partitionSecondsPaused).toBeGreaterThan(4000);
    expect(gains.get('Deploy 5 members at a time.')).toMatchObject({ rebalances: 32, peakLoad: 0 });
    const order = recommendations.map(({ saved }) => saved.partitionSecondsPaused);
    expect(order).toEqual([...order].sort((a, b) => b - a));
  });

  it('leave out what is set already, what saves nothing, and what cannot be', () => {
    const statics = deploy.members.map((m) => ({ ...m, instanceId: m.id }));
    expect(recommend({ ...deploy, members: statics, assignor: 'uniform' }).recommendations).toEqual([]);
    const growth = recommend({ ...deploy, assignor: 'uniform', steps: [{ topic: 'orders', partitions: 80 }] });
    expect(growth.recommendations).toEqual([]);
    const clash = [{ ...member('a', ['orders']), instanceId: 'b' }, member('b', ['orders'])];
    const { recommendations } = recommend({ ...deploy, members: clash, assignor: 'uniform' });
    expect(recommendations.map(({ setting }) => setting)).toEqual(['static-membership']);
  });
});
