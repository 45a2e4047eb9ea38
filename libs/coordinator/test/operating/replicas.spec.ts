import { beforeEach, describe, expect, it } from '@jest/globals';
import { resolveAssignor } from '@allot/strategies';
import {
  DEFAULT_GROUP_LIMITS,
  GroupCoordinator,
  type GroupSettingsChange,
  type MemberAnswer,
} from '../../src/index.js';
import { catalogOf, ORIGIN } from '../support/fixtures.js';
import { MemoryDatabase, MemoryGroupStore } from '../support/memory-group-store.js';

const REF = { cluster: 'default', groupId: 'g' };

/** Two replicas over one store whose clock stands still until it is moved. */
class Service {
  now = 1_700_000_000_000;
  broken = false;
  readonly stores: MemoryGroupStore[];
  readonly replicas: GroupCoordinator[];

  constructor() {
    const database = new MemoryDatabase({ now: () => this.now, catalogOf: () => catalogOf({ t: 8 }) });
    this.stores = [new MemoryGroupStore(database), new MemoryGroupStore(database)];
    this.replicas = this.stores.map((store) => {
      return new GroupCoordinator({
        store,
        newMemberId: () => 'new',
        limits: DEFAULT_GROUP_LIMITS,
        resolveAssignor: (name) => {
          if (this.broken) throw new Error('out of order');
          return resolveAssignor(name);
        },
      });
    });
  }

  set(settings: GroupSettingsChange & { frozen?: boolean }) {
    return this.replicas[0]!.putGroup(REF, settings, ORIGIN);
  }

  join(memberId: string): Promise<MemberAnswer> {
    return this.replicas[0]!.join(REF, { memberId, subscription: { topics: ['t'] } }, ORIGIN);
  }

  /** Every member does what it was told, on the other replica, until nothing changes. */
  async settle(): Promise<void> {
    for (let round = 0; round < 10; round++) {
      const before = (await this.group()).revision;
      for (const { memberId, memberEpoch, assigned } of (await this.group()).members.values()) {
        const owned = new Map([...assigned].map(([topic, partitions]) => [topic, [...partitions.keys()]]));
        await this.replicas[1]!.heartbeat(REF, { memberId, memberEpoch, owned }, ORIGIN);
      }
      if ((await this.group()).revision === before) return;
    }
    throw new Error('The group does not settle.');
  }

  async group() {
    return (await this.stores[1]!.read(REF))!.group as Extract<
      Awaited<ReturnType<GroupCoordinator['putGroup']>>['group'],
      { calm?: unknown }
    >;
  }

  async sweep(): Promise<number> {
    let touched = 0;
    for (const replica of this.replicas) {
      const result = await replica.sweep(100, ORIGIN, { mayFence: () => true });
      expect(result.failures).toEqual([]);
      touched += result.touched;
    }
    return touched;
  }

  async causes(): Promise<string[]> {
    return (await this.stores[0]!.changesSince(REF, 0, 1_000)).changes.map(({ cause }) => cause);
  }
}

let service: Service;
beforeEach(() => {
  service = new Service();
});

describe('what time brings, on two replicas', () => {
  it('S-11 is nothing in a quiet group, however often they look', async () => {
    await service.set({ moveBudget: 3, autoFreeze: { share: 0.5, minMembers: 2 }, sessionTimeoutMs: 1_800_000 });
    await service.join('a');
    await service.settle();
    const { revision } = await service.group();
    let touched = 0;
    for (let pass = 0; pass < 1_000; pass++) {
      service.now += 500;
      touched += await service.sweep();
    }
    expect(touched).toBe(0);
    expect((await service.group()).revision).toBe(revision);
  });

  it('S-11 is one attempt a pause while the planner fails, and one revision', async () => {
    await service.set({});
    await service.join('a');
    service.broken = true;
    await service.join('b');
    const { revision, assignorFault } = await service.group();
    expect(assignorFault).toContain('out of order');
    let attempts = 0;
    for (let pass = 0; pass < 40; pass++) {
      service.now += 500;
      attempts += await service.sweep();
    }
    expect(attempts).toBeLessThanOrEqual(6);
    expect((await service.group()).revision).toBe(revision);
    service.broken = false;
    service.now += 20_000;
    await service.sweep();
    expect((await service.causes()).at(-1)).toBe('assignment-retried');
    await service.settle();
    expect(await service.sweep()).toBe(0);
  });

  it('is a target at the end of a window', async () => {
    await service.set({ sessionTimeoutMs: 600_000 });
    await service.join('a');
    const until = new Date(service.now + 60_000).toISOString();
    await service.set({ maintenanceWindows: [{ from: '2020-01-01T00:00:00Z', until }] });
    await service.join('b');
    service.now += 59_999;
    expect(await service.sweep()).toBe(0);
    service.now += 1;
    expect(await service.sweep()).toBe(1);
    expect(await service.group()).toMatchObject({ groupEpoch: 2, assignmentEpoch: 2 });
    expect(await service.sweep()).toBe(0);
  });

  it('is the rest of a target that the budget divides', async () => {
    await service.set({ moveBudget: 1, assignors: ['sticky'] });
    await service.join('a');
    await service.settle();
    await service.join('b');
    for (let round = 0; round < 10; round++) {
      await service.settle();
      service.now += 1_000;
      await service.sweep();
    }
    const { members, calm } = await service.group();
    expect([...members.values()].map(({ assigned }) => assigned.get('t')!.size)).toEqual([4, 4]);
    expect(calm).toBeUndefined();
    const causes = await service.causes();
    expect(causes.filter((cause) => cause === 'moves-continued')).toHaveLength(3);
    expect(await service.sweep()).toBe(0);
  });

  it('is a freeze when most leases end in one pass', async () => {
    await service.set({ autoFreeze: { share: 0.5, minMembers: 3 } });
    for (const id of ['a', 'b', 'c', 'd']) await service.join(id);
    await service.settle();
    service.now += 40_000;
    await service.replicas[0]!.heartbeat(REF, { memberId: 'd', memberEpoch: 4 }, ORIGIN);
    service.now += 10_000;
    await service.sweep();
    expect((await service.causes()).at(-1)).toBe('auto-frozen');
    const { members, calm, groupEpoch, assignmentEpoch } = await service.group();
    expect([members.size, calm?.freeze?.by, groupEpoch - assignmentEpoch]).toEqual([1, 'auto-freeze', 1]);
    expect(await service.sweep()).toBe(0);
    for (const id of ['a', 'b', 'c']) await service.join(id);
    expect((await service.causes()).at(-1)).toBe('auto-freeze-lifted');
  });
});
