import { describe, expect, it } from '@jest/globals';
import { findViolations } from '@allot/model';
import type { MemberSpec, TopicSpec } from '@allot/model';
import type { PlanResult } from '../src/plan-types.js';
import { planToJson } from '../src/plan-to-json.js';
import { plan } from '../src/plan.js';

const topics: TopicSpec[] = Array.from({ length: 100 }, (_, i) => ({ name: `topic-${i}`, partitions: 500 }));
const names = topics.map(({ name }) => name);
const members: MemberSpec[] = Array.from({ length: 1_000 }, (_, i) => ({ id: `member-${i}`, topics: [...names] }));

/** CPU time, because the machine that tests run on may be busy; the bound is loose and only catches what grows with the square. */
function cpuMs(run: () => unknown): number {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

describe('1,000 members and 50,000 partitions', () => {
  it.each(['range', 'sticky'])('are planned and written with %s in a fraction of a second', (assignor) => {
    const input = { assignor, topics, members, changes: [{ addMembers: 10 }, { removeMembers: ['member-7'] }] };
    let result: PlanResult | undefined;
    expect(cpuMs(() => JSON.stringify(planToJson((result = plan(input)))))).toBeLessThan(2_500);
    expect(findViolations(result!.after, result!.target)).toEqual([]);
  });

  it('where every member has a subscription of its own and most are idle', () => {
    const own = Array.from({ length: 2_000 }, (_, i) => ({
      id: `member-${i}`,
      topics: names.filter((_name, t) => ((i + 1) * (t + 7)) % 11 < 3),
    }));
    const few = names.map((name) => ({ name, partitions: 5 }));
    expect(cpuMs(() => plan({ assignor: 'range', topics: few, members: own }))).toBeLessThan(3_000);
  });
});
