import { describe, expect, it } from '@jest/globals';
import { AllotError } from '@allot/model';
import { compare } from '../src/compare.js';
import { recommend } from '../src/recommend.js';
import { rightSize } from '../src/right-size.js';
import { RunBudget, WORK_LIMIT } from '../src/run-budget.js';
import { simulate } from '../src/simulate.js';
import { members, topics } from './support/groups.js';

const large = { assignor: 'range', topics: topics({ orders: 20_000 }), members: members(1_000, ['orders']) };
const rolling = (batchSize: number) => ({ rollingRestart: { batchSize } });

function refusal(run: () => unknown): { readonly code: string; readonly pointer: string; readonly message: string } {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(AllotError);
    const { code, errors, message } = error as AllotError;
    return { code, pointer: errors[0]!.pointer, message };
  }
  throw new Error('it was not refused');
}

describe('the work that one question may take', () => {
  it('is taken up to the limit, to the unit, and refused beyond it', () => {
    const group = { topics: topics({ orders: 90 }), members: members(8, ['orders']) };
    const size = 90 + 8 + 1;
    const runs = Math.floor(WORK_LIMIT / size);
    const budget = new RunBudget();
    budget.spend(runs - 1, group, '/x', '');
    budget.spend(1, group, '/x', '');
    expect(refusal(() => budget.spend(1, group, '/steps/3', 'Use fewer.'))).toEqual({
      code: 'LIMIT_EXCEEDED',
      pointer: '/steps/3',
      message: expect.stringMatching(/here 99.* at most 1000000 .*Use fewer\.$/),
    });
  });

  it.each([
    ['simulate', '/steps/1/rollingRestart', () => simulate({ ...large, steps: [{ crash: 1 }, rolling(1)] })],
    ['recommend', '/steps/0/rollingRestart', () => recommend({ ...large, steps: [rolling(100)] })],
    ['compare', '/assignors', () => compare(large, ['range', 'sticky', 'uniform', 'roundrobin'])],
    ['rightSize', '/upTo', () => rightSize(large, 1_000)],
  ])('is checked before %s does it', (_name, pointer, run) => {
    const started = process.cpuUsage();
    expect(refusal(run)).toMatchObject({ code: 'LIMIT_EXCEEDED', pointer });
    const { user } = process.cpuUsage(started);
    expect(user / 1_000).toBeLessThan(8_000);
  });

  it('does not count restarts of static members, which run no assignor', () => {
    const statics = large.members.map((member) => ({ ...member, instanceId: member.id }));
    expect(simulate({ ...large, members: statics, steps: [rolling(1)] }).total).toMatchObject({
      rebalances: 0,
      moves: 0,
      partitionSecondsPaused: 20_000 * 20,
    });
    const slow = { restartMs: 60_000 };
    expect(refusal(() => simulate({ ...large, members: statics, timing: slow, steps: [rolling(1)] })).pointer).toBe(
      '/steps/0/rollingRestart',
    );
  });

  it('counts what a step makes of the group', () => {
    const grow = { topic: 'orders', partitions: 1_990_000 };
    expect(refusal(() => simulate({ ...large, steps: [{ crash: 0 }, grow] })).pointer).toBe('/steps/1');
  });
});
