import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ClassicGroup, GroupRef, GroupStep, GroupStore } from '@allot/coordinator';
import { changeOf, classicGroup, classicMember, owned } from './sample-group.js';

export interface ClassicStores {
  /** Another store on the same data, as another replica has it. */
  readonly newStore: () => GroupStore;
  /** Names a group that does not exist. */
  readonly newRef: () => GroupRef;
}

/** The part of the suite that is about groups of type classic. */
export function describeClassicGroups({ newStore, newRef }: ClassicStores): void {
  describe('classic groups', () => {
    let store: GroupStore;
    let replica: GroupStore;

    beforeAll(() => {
      store = newStore();
      replica = newStore();
    });

    const readGroup = async (ref: GroupRef) => (await newStore().read(ref))?.group;

    const commitClassic = (after: ClassicGroup) => (): GroupStep<string> => ({
      group: after,
      change: changeOf(after, { state: after.phase }),
      reply: 'done',
    });

    it('keeps all of them, for any replica', async () => {
      const ref = newRef();
      const all = classicGroup(
        {
          protocol: 'cooperative-sticky',
          leader: '__proto__',
          assignorFault: 'it failed',
          timer: { kind: 'initial-delay', since: 1_000, at: 4_000, remainingMs: 7_000, memberAdded: true },
          pending: [{ memberId: 'pending', expiresAt: 9_999_999_999_999 }],
          subscribedTopics: new Map([['__proto__', { id: 'id', partitions: 3 }]]),
        },
        [
          classicMember('__proto__', {
            instanceId: 'i',
            rackId: 'r',
            clientId: 'c',
            weight: 2,
            protocols: [{ name: 'cooperative-sticky', userData: 'aGk=' }, { name: 'range' }],
            cooperative: true,
            claim: { owned: new Map([['__proto__', [0, 2]]]), generation: -1 },
            state: 'JOINING',
            isNew: true,
            assigned: owned({ ['__proto__']: { 0: 3 } }),
            pendingRevocation: owned({ ['__proto__']: { 2: 1 } }),
            target: new Map([['__proto__', [0, 1]]]),
            userData: 'eW8=',
            rebalanceDeadline: 5_000,
            conflictsWith: 'old',
            grantedRevision: 7,
            saidAtRevision: 0,
            formerIds: ['old', 'older'],
          }),
          classicMember('plain', { joinOrder: 2 }),
        ],
      );
      await store.transact(ref, commitClassic(all));
      expect(await readGroup(ref)).toEqual(all);
      const { members: _members, timer: _timer, assignorFault: _fault, leader: _leader, ...rest } = all;
      const emptied: ClassicGroup = { ...rest, revision: 2, phase: 'EMPTY', pending: [], members: new Map() };
      await replica.transact(ref, commitClassic(emptied));
      expect(await readGroup(ref)).toEqual(emptied);
      const { changes } = await store.changesSince(ref, 0, 10);
      expect(changes.map(({ state }) => state)).toEqual(['STABLE', 'EMPTY']);
    });

    it('gives each member a lease of its own session', async () => {
      const ref = newRef();
      const both = classicGroup({}, [
        classicMember('a'),
        classicMember('b', { sessionTimeoutMs: 9_000, joinOrder: 2 }),
      ]);
      const { now } = await store.transact(ref, commitClassic(both));
      const leases = (await store.read(ref))!.leases;
      expect(leases.get('a')! - now).toBeGreaterThanOrEqual(6_000);
      expect(leases.get('b')! - leases.get('a')!).toBe(3_000);
    });

    it('finds those whose timer or pending member is due, and no others', async () => {
      const { now } = await store.transact(newRef(), (view) => ({ group: view.group, reply: 0 }));
      const due = newRef();
      const pending = newRef();
      const later = newRef();
      const timer = { kind: 'rebalance', since: now, at: now } as const;
      await store.transact(due, commitClassic(classicGroup({ timer })));
      await store.transact(pending, commitClassic(classicGroup({ pending: [{ memberId: 'p', expiresAt: now }] })));
      await store.transact(later, commitClassic(classicGroup({ timer: { ...timer, at: now + 600_000 } })));
      const found = (await replica.findExpired(1_000)).map(({ ref }) => ref.groupId);
      expect(found).toEqual(expect.arrayContaining([due.groupId, pending.groupId]));
      expect(found).not.toContain(later.groupId);
    });
  });
}
