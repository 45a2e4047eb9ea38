import { describe, expect, it } from '@jest/globals';
import { explainMember } from '../src/explain-member.js';
import { explainPartition } from '../src/explain.js';
import type { Explanation } from '../src/explain.js';
import { plan } from '../src/plan.js';
import type { PlanInput } from '../src/plan-types.js';
import { member, members, topics } from './support/groups.js';

function explain(input: PlanInput, topic: string, partition: number): Explanation {
  return explainPartition(plan(input), topic, partition);
}

describe('why a partition is where it is', () => {
  const owned = {
    assignor: 'sticky',
    topics: topics({ t: 4 }),
    members: [member('a', ['t'], { t: [0, 1] }, 2), member('b', ['t'], { t: [2, 3] }, 2)],
  };

  it('it was kept', () => {
    expect(explain(owned, 't', 0)).toEqual({
      topic: 't',
      partition: 0,
      from: 'a',
      to: 'a',
      cause: 'kept',
      forced: false,
      assignor: 'sticky',
      rule: expect.stringContaining('leaves partitions where they are'),
      evenShare: [2, 2],
      candidates: [
        { member: 'a', loadBefore: 2, loadAfter: 2, inTopic: 2, rackMatches: null, passedOver: null },
        { member: 'b', loadBefore: 2, loadAfter: 2, inTopic: 2, rackMatches: null, passedOver: 'has-its-share' },
      ],
      claims: [{ member: 'a', generation: 2, won: true }],
      racks: [],
      text: 't-0 stays with a: sticky moves no more than balance asks for. Passed over: b has its share.',
    });
  });

  it('its owner left', () => {
    const { cause, forced, text } = explain({ ...owned, changes: [{ removeMembers: ['b'] }] }, 't', 3);
    expect([cause, forced, text]).toEqual(['owner-left', true, 't-3 goes from b to a because b left the group.']);
  });

  it('its owner no longer subscribes', () => {
    const input = { ...owned, topics: topics({ t: 4, u: 1 }), changes: [{ member: 'b', topics: ['u'] }] };
    expect(explain(input, 't', 2)).toMatchObject({ cause: 'owner-unsubscribed', forced: true, to: 'a' });
  });

  it('it evens out members', () => {
    const result = plan({
      ...owned,
      topics: topics({ t: 6 }),
      members: [member('a', ['t'], { t: [0, 1, 2, 3, 4, 5] }, 2), member('b', ['t'])],
    });
    const { partition } = result.diff[0]!;
    const { cause, text } = explainPartition(result, 't', partition);
    expect(cause).toBe('balance');
    expect(text).toBe(
      `t-${partition} goes from a to b to even them out: a had 6 partitions and has 3 now, b had 0 partitions and has 3 now; the even share is 3.`,
    );
  });

  it('the rule does not look at owners', () => {
    const input = {
      assignor: 'range',
      topics: topics({ t: 10 }),
      members: members(3, ['t']),
      changes: [{ addMembers: 1 }],
    };
    expect(explain(input, 't', 3)).toMatchObject({
      cause: 'rule',
      from: 'c1',
      to: 'c2',
      text: expect.stringContaining('order of members'),
    });
  });

  it('says why every other candidate was passed over', () => {
    const racked = {
      assignor: 'sticky',
      topics: [{ name: 't', partitions: 4, racks: [['r0'], ['r1'], ['r0'], ['r1']] }, ...topics({ u: 3 })],
      members: [
        { ...member('a', ['t', 'u'], { t: [0, 1], u: [0] }, 1), rack: 'r0' },
        { ...member('b', ['t', 'u'], { t: [2, 3], u: [1] }, 1), rack: 'r1' },
        member('c', ['t', 'u'], { u: [2] }, 1),
      ],
      changes: [{ removeMembers: ['c'] }, { addMembers: ['d'] }],
      pins: [{ topic: 'u', partition: 0, member: 'b' }],
    };
    const reasons = (topic: string, partition: number) => {
      const { to, candidates, text } = explain(racked, topic, partition);
      const why = new Map(candidates.map(({ member: id, passedOver }) => [id, passedOver]));
      expect(why.get(to!)).toBeNull();
      for (const { member: id, passedOver } of candidates) expect(passedOver === null).toBe(id === to);
      return { to, why, text };
    };
    expect(reasons('u', 0)).toMatchObject({ to: 'b', text: expect.stringContaining('Passed over: d: it is pinned.') });
    expect(reasons('t', 0).why.get('b')).toBe('no-replica-in-rack');
    const ranged = { assignor: 'range', topics: topics({ t: 10 }), members: members(3, ['t']) };
    const { candidates, text, rule } = explain(ranged, 't', 0);
    expect(candidates.map(({ passedOver, inTopic }) => [passedOver, inTopic])).toEqual([
      [null, 4],
      ['rule-order', 3],
      ['rule-order', 3],
    ]);
    expect([text, rule]).toEqual([
      't-0 stays with c1. range cuts the 10 partitions of t into runs of 4 and 3 for 3 subscribers in the order of their ids, the longer ones first; c1 is number 1 and gets t-0 to t-3.',
      expect.stringContaining('contiguous runs'),
    ]);
    const kept = {
      assignor: 'sticky',
      topics: topics({ t: 3 }),
      members: [member('a', ['t'], { t: [0, 1] }, 1), member('b', ['t'], { t: [2] }, 1)],
    };
    expect(explain(kept, 't', 0).text).toBe(
      't-0 stays with a: sticky moves no more than balance asks for. Passed over: b: the owner keeps what it has.',
    );
  });

  it('tells the order of a rule in numbers, if all of the target agrees with it', () => {
    const text = (input: PlanInput, topic: string, partition: number) => explain(input, topic, partition).text;
    const ranged = { assignor: 'range', topics: topics({ t: 6 }), members: members(3, ['t']) };
    expect(text({ ...ranged, changes: [{ removeMembers: ['c1'] }] }, 't', 1)).toBe(
      't-1 goes from c1 to c2 because c1 left the group. range cuts the 6 partitions of t into runs of 3 for 2 subscribers in the order of their ids; c2 is number 1 and gets t-0 to t-2.',
    );
    const shortage = {
      ...ranged,
      topics: topics({ t: 2 }),
      members: [{ ...member('z', ['t']), instanceId: 'a' }, ...members(2, ['t'])],
    };
    expect(text(shortage, 't', 0)).toContain(
      'into runs of 1 for 3 subscribers in member order; z is number 1 and gets t-0.',
    );
    const dealt = { assignor: 'roundrobin', topics: topics({ t: 6, u: 3 }), members: members(4, ['t', 'u']) };
    expect(text(dealt, 'u', 1)).toBe(
      'u-1 stays with c4. roundrobin deals 9 partitions out in turn to 4 members, by topic and number; u-1 is number 8, and c4 is number 4 in the turn.',
    );
    // A pin, or subscriptions that differ: the numbers would not be the reason.
    expect(text({ ...ranged, pins: [{ topic: 't', partition: 5, member: 'c1' }] }, 't', 4)).not.toContain('runs of');
    const uneven = { ...dealt, members: [member('a', ['t']), member('b', ['t', 'u'])] };
    expect(text(uneven, 't', 1)).not.toContain('in turn');
  });

  it('tells loads by weight where numbers of partitions do not show why', () => {
    const input = {
      assignor: 'weighted-sticky',
      topics: topics({ t: 8 }),
      members: [
        { ...member('a', ['t'], { t: [0, 1, 2, 3] }, 1), weight: 3 },
        member('b', ['t'], { t: [4, 5, 6, 7] }, 1),
      ],
    };
    const { partition } = plan(input).diff[0]!;
    expect(explain(input, 't', partition)).toMatchObject({
      cause: 'balance',
      text: `t-${partition} goes from b to a to even them out: b had 4 partitions and has 2 now, a had 4 partitions and has 6 now; by weight b carried 4 and a 1.33.`,
    });
  });

  it('says that a pin is not kept', () => {
    const input = { ...owned, pins: [{ topic: 't', partition: 0, member: 'nobody' }] };
    expect(explain(input, 't', 0).text).toContain(' It is pinned to nobody, but no such member subscribes to t.');
    expect(explain(input, 't', 1).text).not.toContain('pinned');
  });

  it('it goes to a rack with a replica', () => {
    const input = {
      assignor: 'sticky',
      topics: [{ name: 't', partitions: 4, racks: [['r0'], ['r1'], ['r0'], ['r1']] }],
      members: [
        { ...member('c0', ['t'], { t: [0, 1] }, 1), rack: 'r0' },
        { ...member('c1', ['t'], { t: [2, 3] }, 1), rack: 'r1' },
      ],
    };
    expect(explain(input, 't', 1)).toMatchObject({ cause: 'rack', from: 'c0', to: 'c1', racks: ['r1'] });
  });

  it('it is new, has no subscriber, or is gone', () => {
    expect(explain({ ...owned, changes: [{ topic: 't', partitions: 5 }] }, 't', 4)).toMatchObject({
      cause: 'first-owner',
      from: null,
    });
    expect(explain({ ...owned, topics: topics({ t: 4, u: 1 }) }, 'u', 0)).toMatchObject({
      cause: 'no-subscriber',
      to: null,
      candidates: [],
    });
    expect(explain({ ...owned, changes: [{ removeTopic: 't' }] }, 't', 0)).toMatchObject({
      cause: 'partition-gone',
      from: 'a',
      to: null,
    });
    expect(() => explain(owned, 't', 4)).toThrow(/no partition t-4/);
    expect(() => explain(owned, 'x', 0)).toThrow(/no partition x-0/);
  });

  it('C-03 shows all claims and which generation won', () => {
    const contested = { ...owned, members: [member('a', ['t'], { t: [0, 1] }, 10), member('b', ['t'], { t: [0] }, 9)] };
    const { claims, text } = explain(contested, 't', 0);
    expect(claims).toEqual([
      { member: 'a', generation: 10, won: true },
      { member: 'b', generation: 9, won: false },
    ]);
    expect(text).toContain('older claims of b lost');
    const tied = { ...owned, members: [member('a', ['t'], { t: [0] }, 3), member('b', ['t'], { t: [0] }, 3)] };
    expect(explain(tied, 't', 0)).toMatchObject({
      from: null,
      text: expect.stringContaining('a and b claimed it with the same generation'),
    });
  });
});

describe('what a plan means for a member', () => {
  const group = { assignor: 'sticky', topics: topics({ t: 8 }), members: members(2, ['t']) };

  it('who stays, joins, leaves, or has nothing to do', () => {
    const grown = plan({ ...group, changes: [{ addMembers: 1 }] });
    expect(explainMember(grown, 'c3').text).toMatch(
      /^c3 joins and gets 2 partitions: t-\d, t-\d\. The even share is 2 or 3\.$/,
    );
    expect(explainMember(grown, 'c1').text).toMatch(
      /^c1 goes from 4 partitions to 3\. It loses t-\d\. The even share is 2 or 3\.$/,
    );
    const shrunk = plan({ ...group, changes: [{ removeMembers: ['c2'] }] });
    expect(explainMember(shrunk, 'c2')).toMatchObject({
      after: null,
      gained: new Map(),
      text: expect.stringMatching(/^c2 leaves the group and gives up t-/),
    });
    expect(explainMember(shrunk, 'c1').text).toMatch(
      /^c1 goes from 4 partitions to 8\. It gains t-\d, t-\d, t-\d, t-\d\. The even share is 8\.$/,
    );
    const same = plan(group);
    expect(explainMember(same, 'c1').text).toBe('c1 keeps its 4 partitions. The even share is 4.');
    const crowd = plan({ ...group, topics: topics({ t: 1 }) });
    expect(explainMember(crowd, 'c2')).toMatchObject({
      idle: 'more-members-than-partitions',
      text: 'c2 has no partitions, as before. It has nothing to do because there are more members than partitions for them.',
    });
    expect(() => explainMember(same, 'c9')).toThrow(/no member "c9"/);
  });

  it('C-03 tells which of its claims did not count', () => {
    const claimed = [member('a', ['t'], { t: [0, 1] }, 10), member('b', ['t'], { t: [1, 2] }, 9)];
    const contested = plan({ ...group, members: claimed });
    const { claimsLost, text, rule } = explainMember(contested, 'b');
    expect(claimsLost).toEqual(new Map([['t', [1]]]));
    expect(text).toContain('What it said of t-1 did not count: another claim is newer, or as new.');
    expect(rule.length).toBeGreaterThan(20);
  });

  it('counts what it does not list', () => {
    const alone = plan({ ...group, changes: [{ topic: 't', partitions: 20 }, { removeMembers: ['c1'] }] });
    expect(explainMember(alone, 'c2').text).toMatch(/It gains (t-\d+, ){4}t-\d+ and 11 more\./);
  });
});

describe('words for', () => {
  const text = (body: object, topic: string, partition: number) =>
    explainPartition(plan(body as never), topic, partition).text;
  const two = [member('c1', ['t']), member('c2', ['t'])];

  it('a partition that is new, and one that nobody had', () => {
    const grown = {
      assignor: 'sticky',
      topics: topics({ t: 2 }),
      members: two,
      changes: [{ topic: 't', partitions: 3 }],
    };
    expect(text(grown, 't', 2)).toMatch(/^t-2 is new; sticky gives it to c\d\./);
    const half = {
      assignor: 'sticky',
      topics: topics({ t: 2 }),
      members: [member('c1', ['t'], { t: [0] }, 1), two[1]],
    };
    expect(text(half, 't', 1)).toMatch(/^t-1 had no owner; sticky gives it to c2\./);
  });

  it('range where racks, not the order of members, decided', () => {
    const members = [
      { id: 'c1', topics: ['t'], rack: 'a' },
      { id: 'c2', topics: ['t'], rack: 'b' },
    ];
    const swapped = { assignor: 'range', topics: [{ name: 't', partitions: 2, racks: [['b'], ['a']] }], members };
    expect(text(swapped, 't', 0)).toContain(
      'range first gives members, up to their share, what has a replica in their rack.',
    );
    expect(text(swapped, 't', 0)).not.toContain('cuts');
  });

  it('a candidate that had more than the one who got it', () => {
    const body = {
      assignor: 'cooperative-sticky',
      topics: topics({ t0: 1, t1: 4, t2: 4 }),
      members: [member('c0', ['t0', 't1', 't2']), member('c1', ['t1']), member('c2', ['t1'])],
      changes: [{ member: 'c1', topics: ['t0', 't2'] }],
    };
    expect(text(body, 't1', 0)).toContain('Passed over: c0 had more than the owner before.');
    expect(explainMember(plan(body), 'c1').text).toMatch(
      /^c1 has 2 partitions, as many as before, but not the same\. It gains/,
    );
  });
});
