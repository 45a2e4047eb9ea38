import { describe, expect, it } from '@jest/globals';
import { AllotError } from '@allot/model';
import type { MemberSpec } from '@allot/model';
import { applyChanges } from '../src/apply-changes.js';
import type { ChangedGroup } from '../src/apply-changes.js';
import type { Change } from '../src/change.js';
import { member, members, topics } from './support/groups.js';

function apply(
  group: { topics: ReturnType<typeof topics>; members: MemberSpec[] },
  ...changes: Change[]
): ChangedGroup {
  return applyChanges(group, 'range', changes);
}

const group = { topics: topics({ t: 3, u: 2 }), members: members(2, ['t']) };

describe('adding members', () => {
  it.each([
    ['continues a common numbering', ['c1', 'c2'], 2, ['c3', 'c4']],
    ['continues above the highest number', ['pod-0', 'pod-7'], 2, ['pod-8', 'pod-9']],
    ['starts its own numbering where names differ', ['alice', 'bob'], 2, ['new-1', 'new-2']],
    ['goes on with its own numbering', ['alice', 'new-1', 'bob'], 2, ['new-2', 'new-3']],
    ['does not count on from a UUID', ['consumer-1-0b1e1f0a-1111-4222-8333-444455556666'], 1, ['new-1']],
    ['starts from nothing', [], 2, ['new-1', 'new-2']],
  ])('%s', (_, ids, count, expected) => {
    const changed = apply({ ...group, members: ids.map((id) => member(id, ['t'])) }, { addMembers: count });
    expect(changed.added).toEqual(expected);
  });

  it('never takes the name of a member that the plan removes', () => {
    expect(apply(group, { removeMembers: ['c2'] }, { addMembers: 1 }, { addMembers: 1 }).added).toEqual(['c3', 'c4']);
  });

  it('makes generated members static where all members are', () => {
    const statics = [0, 1].map((n) => ({ ...member(`m${n}`, ['t']), instanceId: `host-${n}` }));
    expect(apply({ ...group, members: statics }, { addMembers: 1 }).members[2]).toEqual({
      id: 'm2',
      instanceId: 'host-2',
      topics: ['t'],
    });
    const mixed = [statics[0]!, member('m1', ['t'])];
    expect(apply({ ...group, members: mixed }, { addMembers: 1 }).members[2]).toEqual({ id: 'm2', topics: ['t'] });
  });

  it('takes ids and whole members', () => {
    const changed = apply(group, {
      addMembers: ['x', { id: 'y', topics: ['u'], rack: 'r2', instanceId: 'i', weight: 2 }],
      rack: 'r1',
    });
    expect(changed.members.slice(2)).toEqual([
      { id: 'x', topics: ['t'], rack: 'r1' },
      { id: 'y', topics: ['u'], rack: 'r2', instanceId: 'i', weight: 2 },
    ]);
  });

  it('subscribes like most members, or to everything in an empty group, and notes what it assumed', () => {
    const mixed = [member('a', ['u']), member('b', ['u', 't']), member('c', ['t', 'u'])];
    expect(apply({ ...group, members: mixed }, { addMembers: ['x'] })).toMatchObject({
      assumed: [{ topics: ['u', 't'], basis: 'commonest' }],
      members: [{}, {}, {}, { id: 'x', topics: ['u', 't'] }],
    });
    expect(apply({ ...group, members: [] }, { addMembers: 1 }).assumed).toEqual([
      { topics: ['t', 'u'], basis: 'all-topics' },
    ]);
    expect(apply(group, { addMembers: 1 }).assumed).toEqual([]);
    expect(apply({ ...group, members: mixed }, { addMembers: 1, topics: ['t'] }).assumed).toEqual([]);
  });
});

describe('other changes', () => {
  it('apply in order, each to what the ones before it left', () => {
    const changed = apply(
      group,
      { addTopic: { name: 'v', partitions: 1 } },
      { topic: 'v', partitions: 4 },
      { removeTopic: 'u' },
      { removeMembers: 1 },
      { addMembers: ['c2'], topics: ['v'] },
      { assignor: 'roundrobin' },
    );
    expect(changed.topics).toEqual(topics({ t: 3, v: 4 }));
    expect(changed.members).toEqual([member('c1', ['t']), member('c2', ['v'])]);
    expect([changed.added, changed.removed, changed.assignor]).toEqual([[], [], 'roundrobin']);
  });

  it('keep racks and weights as long as the partitions', () => {
    const racked = { topics: [{ name: 't', partitions: 2, racks: [['a'], ['b']], weights: [1, 3] }], members: [] };
    const grown = apply(racked, { topic: 't', partitions: 3 });
    expect(grown.topics).toEqual([{ name: 't', partitions: 3, racks: [['a'], ['b'], []], weights: [1, 3, 2] }]);
    expect(grown.unknownRacks).toEqual(['t']);
    const known = apply(racked, { topic: 't', partitions: 3, racks: [['a'], ['b'], ['c']] });
    expect(known.unknownRacks).toEqual([]);
    const shrunk = apply(racked, { topic: 't', partitions: 1, recreate: true });
    expect(shrunk.topics).toEqual([{ name: 't', partitions: 1, racks: [['a']], weights: [1] }]);
  });

  it('change a member in its place, with its claims', () => {
    const claiming = { ...group, members: [{ ...member('a', ['t'], { t: [0] }, 1), rack: 'r' }, member('b', ['t'])] };
    const changed = apply(
      claiming,
      { member: 'a', topics: ['u'], weight: 2 },
      { member: 'b', rack: 'q' },
      { member: 'a', rack: null },
    );
    expect(changed.members).toEqual([
      { ...member('a', ['u'], { t: [0] }, 1), weight: 2 },
      { ...member('b', ['t']), rack: 'q' },
    ]);
  });
});

describe('changes that cannot be applied', () => {
  it.each<[Change, string, RegExp]>([
    [{ addMembers: -1 }, '/changes/1/addMembers', /whole number/],
    [{ addMembers: 1.5 }, '/changes/1/addMembers', /whole number/],
    [{ addMembers: 100_000 }, '/changes/1/addMembers', /20000/],
    [{ addMembers: ['x', 'c1'] }, '/changes/1/addMembers/1', /already in the group/],
    [{ addMembers: ['x', 'x'] }, '/changes/1/addMembers/1', /already in the group/],
    [
      {
        addMembers: [
          { id: 'x', instanceId: 'i' },
          { id: 'y', instanceId: 'i' },
        ],
      },
      '/changes/1/addMembers/1',
      /already in use/,
    ],
    [{ removeMembers: ['c1', 'c9'] }, '/changes/1/removeMembers/1', /No member "c9"/],
    [{ removeMembers: 3 }, '/changes/1/removeMembers', /has 2 members/],
    [{ member: 'c9', topics: [] }, '/changes/1/member', /No member "c9"/],
    [{ member: 'c1', weight: 0 }, '/changes/1/weight', /above 0/],
    [{ topic: 'nope', partitions: 3 }, '/changes/1/topic', /addTopic/],
    [{ topic: 't', partitions: 2 }, '/changes/1/partitions', /only grow/],
    [{ topic: 't', partitions: -1, recreate: true }, '/changes/1/partitions', /whole numbers/],
    [{ topic: 't', partitions: 2_000_001 }, '/changes/1/partitions', /whole numbers/],
    [{ topic: 't', partitions: 4, racks: [['a']] }, '/changes/1/racks', /1 entries for 4/],
    [{ addTopic: { name: 't', partitions: 1 } }, '/changes/1/addTopic/name', /already exists/],
    [{ addTopic: { name: 'big', partitions: 1_999_999 } }, '/changes/1/addTopic/partitions', /2000004 partitions/],
    [{ removeTopic: 'nope' }, '/changes/1/removeTopic', /No topic "nope"/],
  ])('%j is refused at %s', (change, pointer, detail) => {
    let error: unknown;
    try {
      apply(group, { assignor: 'range' }, change);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(AllotError);
    expect((error as AllotError).code).toBe('INVALID_REQUEST');
    expect((error as AllotError).errors[0]).toEqual({ pointer, detail: expect.stringMatching(detail) });
  });
});
