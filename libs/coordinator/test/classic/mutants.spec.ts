import { EMPTY_ASSIGNMENT } from '@allot/model';
import { beforeEach, expect, it, jest } from '@jest/globals';
import type * as Deadlines from '../../src/classic/deadlines.js';
import type * as Description from '../../src/classic/member-description.js';
import type * as Publish from '../../src/classic/publish.js';
import type * as OwnedPartitions from '../../src/consumer/owned-partitions.js';

/** A checker that finds nothing may be blind: each of these puts a bug back, and the walks must find it. */
beforeEach(() => {
  for (const name of ['deadlines', 'member-description', 'publish'])
    jest.unstable_unmockModule(`../../src/classic/${name}.js`);
  jest.resetModules();
});

const WALKS = 60;

/** What the walks find in a service whose modules were replaced; undefined: nothing. */
async function findTrouble(): Promise<string | undefined> {
  const { TEAMS, walk } = await import('./support/classic-exploration.js');
  for (const [, workers] of TEAMS) {
    for (let seed = 1; seed <= WALKS; seed++) {
      try {
        walk(workers, seed);
      } catch (error) {
        return (error as Error).message.split('\n')[0]!;
      }
    }
  }
  return undefined;
}

it('finds nothing in the service as it is', async () => {
  expect(await findTrouble()).toBeUndefined();
});

it('finds that members are dropped before the time is over that they were promised', async () => {
  const real = await load<typeof Deadlines>('deadlines');
  const removableFrom: typeof real.removableFrom = (group, member) => {
    return real.removableFrom(group, member) === Infinity ? Infinity : group.timer!.at;
  };
  jest.unstable_mockModule('../../src/classic/deadlines.js', () => ({ ...real, removableFrom }));
  expect(await findTrouble()).toMatch(/both work on/);
});

it('finds that the leader’s word counts, whoever still holds a partition', async () => {
  const { addOwned, NO_PARTITIONS } =
    (await import('../../src/consumer/owned-partitions.js')) as typeof OwnedPartitions;
  const publish: typeof Publish.publish = (draft, target, cause) => {
    draft.because(cause);
    const { members, groupEpoch } = draft.group;
    for (const [memberId, member] of members) {
      const mine = target.get(memberId) ?? EMPTY_ASSIGNMENT;
      const assigned = addOwned(NO_PARTITIONS, mine, groupEpoch);
      draft.setMember({ ...member, target: mine, assigned, pendingRevocation: NO_PARTITIONS });
    }
    draft.set({ phase: 'STABLE', assignmentEpoch: groupEpoch });
  };
  jest.unstable_mockModule('../../src/classic/publish.js', () => ({ publish }));
  expect(await findTrouble()).toMatch(/both work on/);
});

it('finds that an absent report counts as nothing held', async () => {
  const real = await load<typeof Description>('member-description');
  const { NO_PARTITIONS } = (await import('../../src/consumer/owned-partitions.js')) as typeof OwnedPartitions;
  const released: typeof real.released = () => ({ assigned: NO_PARTITIONS, pendingRevocation: NO_PARTITIONS });
  jest.unstable_mockModule('../../src/classic/member-description.js', () => ({ ...real, released }));
  expect(await findTrouble()).toMatch(/both work on/);
});

it('finds that what a member gave up stays with it', async () => {
  const real = await load<typeof Description>('member-description');
  const released: typeof real.released = ({ assigned, pendingRevocation }) => ({ assigned, pendingRevocation });
  jest.unstable_mockModule('../../src/classic/member-description.js', () => ({ ...real, released }));
  expect(await findTrouble()).toMatch(/stays/);
});

async function load<T>(name: string): Promise<T> {
  return (await import(`../../src/classic/${name}.js`)) as T;
}
