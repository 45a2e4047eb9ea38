import { setTimeout } from 'node:timers/promises';
import type {
  CatalogStore,
  ConsumerGroup,
  ConsumerMember,
  GroupRef,
  GroupStep,
  GroupStore,
  GroupView,
} from '@allot/coordinator';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { describeHistory } from './group-history-suite.js';
import { describeClassicGroups } from './classic-group-store-suite.js';
import { SETTINGS, changeOf, group, member, next, owned } from './sample-group.js';

export interface GroupStoreHarness {
  readonly catalog: CatalogStore;
  /** Another store on the same state, as a second replica has it. */
  readonly newStore: () => GroupStore;
  /** Retention: forgets the changes of a group up to a revision. */
  readonly forgetChanges: (ref: GroupRef, upTo: number) => Promise<void>;
  /** Lets so many ms pass on the store's clock; by waiting, unless that clock is the test's own. */
  readonly sleep?: (ms: number) => Promise<void>;
}

/** What every store of groups must do, whatever it is made of. */
export function groupStoreSuite(name: string, createHarness: () => Promise<GroupStoreHarness>): void {
  describe(`${name} as a group store`, () => {
    let harness: GroupStoreHarness;
    let store: GroupStore;
    let replica: GroupStore;
    let number = 0;

    beforeAll(async () => {
      harness = await createHarness();
      store = harness.newStore();
      replica = harness.newStore();
    });

    const sleep = (ms: number): Promise<void> => (harness.sleep ?? setTimeout)(ms);

    const newRef = (): GroupRef => ({ cluster: 'default', groupId: `group-${++number}` });

    /** A step that commits what `decide` makes of the group. */
    const commit =
      (decide: (before: ConsumerGroup | undefined) => ConsumerGroup, step: Partial<GroupStep<string>> = {}) =>
      (view: GroupView): GroupStep<string> => {
        const before = view.group as ConsumerGroup | undefined;
        const after = decide(before);
        return { group: after, change: changeOf(after), reply: 'done', ...step };
      };

    const create = async (initial: ConsumerGroup, on: GroupStore = store): Promise<GroupRef> => {
      const ref = newRef();
      await on.transact(
        ref,
        commit(() => initial),
      );
      return ref;
    };

    const readGroup = async (ref: GroupRef, from: GroupStore = harness.newStore()) => (await from.read(ref))?.group;

    it('shows a group that does not exist as undefined and leaves nothing behind', async () => {
      const ref = newRef();
      const result = await store.transact(ref, (view) => ({ group: view.group, reply: view.group }));
      expect(result).toMatchObject({ reply: undefined, group: undefined });
      expect(await store.read(ref)).toBeUndefined();
      expect(await store.changesSince(ref, 0, 10)).toEqual({ changes: [], oldest: 1, newest: 0 });
    });

    it('refuses a cluster that does not exist', async () => {
      const ref = { cluster: 'nowhere', groupId: 'g' };
      await expect(
        store.transact(
          ref,
          commit(() => group()),
        ),
      ).rejects.toMatchObject({ code: 'CLUSTER_NOT_FOUND' });
    });

    it('gives back everything it was given', async () => {
      const everything = group(
        {
          groupEpoch: 7,
          assignmentEpoch: 6,
          catalogRevision: 3,
          nextJoinOrder: 12,
          nextAssignmentAt: 1_700_000_123_456,
          assignorFault: 'it failed',
          calm: {
            freeze: { by: 'auto-freeze', since: 1_700_000_123_455, members: 9 },
            vacated: [['i-0', { orders: [3] }]],
            fenced: [['old', 'i-1']],
          },
          subscribedTopics: new Map([
            ['orders', { id: 'AAAAAAAAAAAAAAAAAAAAAA', partitions: 4, racks: '1x2y' }],
            ['__proto__', { id: 'BBBBBBBBBBBBBBBBBBBBBB', partitions: 1 }],
          ]),
        },
        [
          member('__proto__', {
            instanceId: 'i-1',
            rackId: 'rack "a"',
            clientId: "client 'x'",
            weight: 1.5,
            subscription: { topics: ['orders', '__proto__', 'orders'], pattern: '^ord.*' },
            rebalanceTimeoutMs: 1,
            memberEpoch: 6,
            previousMemberEpoch: 5,
            state: 'UNREVOKED_PARTITIONS',
            assigned: owned({ orders: { 0: 3, 2: 6 } }),
            pendingRevocation: owned({ orders: { 1: 2 }, ['a.b']: { 0: 1 } }),
            target: new Map([
              ['10', [0]],
              ['9', [1, 2]],
              ['__proto__', [0]],
              ['orders', [0, 2]],
            ]),
            rebalanceDeadline: 1_700_000_123_457,
            grantedRevision: 5_000_000_000,
            joinOrder: 11,
            draining: true,
          }),
          member('組/ü:c d', { joinOrder: 10, subscription: { topics: [] } }),
          member('superseded', { joinOrder: 12, supersededBy: '__proto__' }),
          member('manual', { joinOrder: 13, manual: true }),
        ],
      );
      const ref = await create(everything);
      const reading = await harness.newStore().read(ref);
      expect(reading!.group).toEqual(everything);
      expect([...reading!.group.members.keys()]).toEqual(['組/ü:c d', '__proto__', 'superseded', 'manual']);
      expect([...reading!.group.members.get('__proto__')!.target.keys()]).toEqual(['10', '9', '__proto__', 'orders']);
    });

    it('gives the same group whether it was cached or loaded', async () => {
      const ref = await create(
        group({}, [member('a', { assigned: owned({ t: { 0: 1 } }) }), member('b', { joinOrder: 1 })]),
      );
      const mine = await store.transact(ref, (view) => ({ group: view.group, reply: view.group }));
      const other = await replica.transact(ref, (view) => ({ group: view.group, reply: view.group }));
      expect(other.reply).toEqual(mine.reply);
      expect(store.cached(ref, 1)).toBe(mine.reply);
      expect(store.cached(ref, 2)).toBeUndefined();
    });

    it('writes what changed and keeps what did not', async () => {
      const [a, b, c] = ['a', 'b', 'c'].map((id, i) =>
        member(id, { joinOrder: i, assigned: owned({ t: { [2 * i]: 1, [2 * i + 1]: 1 } }) }),
      );
      const ref = await create(group({}, [a!, b!, c!]));
      const d = member('d', { joinOrder: 3, assigned: owned({ t: { 1: 2, 4: 2 } }) });
      await replica.transact(
        ref,
        commit((before) =>
          next(before!, {
            a: { ...a!, assigned: owned({ t: { 0: 1 } }), memberEpoch: 2 },
            c: undefined,
            d: { ...d, pendingRevocation: owned({ t: { 5: 2 } }) },
          }),
        ),
      );
      const after = await readGroup(ref);
      expect([...after!.members.keys()]).toEqual(['a', 'b', 'd']);
      expect(after!.members.get('a')).toEqual({ ...a, assigned: owned({ t: { 0: 1 } }), memberEpoch: 2 });
      expect(after!.members.get('b')).toEqual(b);
      expect(after!.members.get('d')).toEqual({ ...d, pendingRevocation: owned({ t: { 5: 2 } }) });
      expect(await readGroup(ref, store)).toEqual(after);
    });

    it('moves partitions between members, changes their kind and their epoch in one step', async () => {
      const a = member('a', { assigned: owned({ t: { 0: 1, 1: 1, 2: 1 } }) });
      const b = member('b', { joinOrder: 1, assigned: owned({ t: { 3: 1, 4: 1 } }) });
      const ref = await create(group({}, [a, b]));
      const swapped = {
        a: { ...a, assigned: owned({ t: { 0: 5, 3: 2 } }), pendingRevocation: owned({ t: { 1: 1 } }) },
        b: { ...b, assigned: owned({ t: { 2: 2, 4: 1 } }) },
      };
      await store.transact(
        ref,
        commit((before) => next(before!, swapped)),
      );
      const after = await readGroup(ref);
      expect(after!.members.get('a')).toEqual(swapped.a);
      expect(after!.members.get('b')).toEqual(swapped.b);
    });

    it('lets a static member return under a new id with everything it had', async () => {
      const old = member('old', { instanceId: 'i', assigned: owned({ t: { 0: 1 } }) });
      const ref = await create(group({}, [old]));
      await store.transact(
        ref,
        commit((before) => next(before!, { old: undefined, new: { ...old, memberId: 'new' } })),
      );
      expect((await readGroup(ref))!.members).toEqual(new Map([['new', { ...old, memberId: 'new' }]]));
    });

    it('refuses two owners of a partition and writes nothing of the step', async () => {
      const ref = await create(group({}, [member('a', { assigned: owned({ t: { 0: 1 } }) })]));
      const thief = member('b', { joinOrder: 1, assigned: owned({ t: { 0: 2 } }) });
      await expect(
        store.transact(
          ref,
          commit((before) => next(before!, { b: thief })),
        ),
      ).rejects.toThrow('two owners');
      const both = member('c', { assigned: owned({ t: { 1: 2 } }), pendingRevocation: owned({ t: { 1: 1 } }) });
      await expect(
        store.transact(
          ref,
          commit((before) => next(before!, { c: both })),
        ),
      ).rejects.toThrow();
      const after = await readGroup(ref, store);
      expect(after!.revision).toBe(1);
      expect([...after!.members.keys()]).toEqual(['a']);
    });

    it('rolls back when the step throws, and passes the error on', async () => {
      const ref = await create(group());
      const boom = new Error('boom');
      await expect(
        store.transact(ref, () => {
          throw boom;
        }),
      ).rejects.toBe(boom);
      expect((await readGroup(ref))!.revision).toBe(1);
    });

    it('refuses a changed group without its change or with a revision that is not the next', async () => {
      const ref = await create(group());
      await expect(store.transact(ref, ({ group: g }) => ({ group: next(g!), reply: 0 }))).rejects.toThrow(
        'revision after 1',
      );
      await expect(
        store.transact(
          ref,
          commit((g) => ({ ...g!, revision: 3 })),
        ),
      ).rejects.toThrow('revision after 1');
      await expect(store.transact(ref, () => ({ group: undefined, reply: 0 }))).rejects.toThrow('null to delete');
    });

    it('does everything of a dry run, then none of it', async () => {
      const ref = await create(group({}, [member('a', { assigned: owned({ t: { 0: 1 } }) })]));
      const add = commit((before) => next(before!, { b: member('b', { joinOrder: 1 }) }), { renewed: ['b'] });
      const result = await store.transact(ref, add, { dryRun: true });
      expect(result.group!.revision).toBe(2);
      expect(result.leases.get('b')).toBeGreaterThan(result.now);
      const thief = commit((before) => next(before!, { b: member('b', { assigned: owned({ t: { 0: 1 } }) }) }));
      await expect(store.transact(ref, thief, { dryRun: true })).rejects.toThrow('two owners');
      const absent = newRef();
      await store.transact(
        absent,
        commit(() => group()),
        { dryRun: true },
      );
      expect(await readGroup(absent, store)).toBeUndefined();
      expect((await readGroup(ref, store))!.revision).toBe(1);
      expect((await store.changesSince(ref, 0, 10)).newest).toBe(1);
    });

    it('deletes a group with all that belongs to it; a new one of the name has later revisions and nothing else of it', async () => {
      const ref = await create(group({}, [member('a', { assigned: owned({ t: { 0: 1 } }) })]));
      await replica.read(ref);
      const deleted = await store.transact(ref, () => ({ group: null, reply: 'gone' }));
      expect(deleted).toMatchObject({ reply: 'gone', group: undefined });
      expect(await replica.read(ref)).toBeUndefined();
      const reborn = (revision: number) => group({ revision }, [member('b', { assigned: owned({ t: { 0: 1 } }) })]);
      await expect(
        store.transact(
          ref,
          commit(() => reborn(1)),
        ),
      ).rejects.toThrow('revision after 1');
      await store.transact(ref, (view) => {
        const after = reborn(view.lastRevision + 1);
        return { group: after, change: changeOf(after), reply: 0 };
      });
      const again = await replica.transact(ref, (view) => ({ group: view.group, reply: 0 }));
      expect([...again.group!.members.keys()]).toEqual(['b']);
      expect((await replica.changesSince(ref, 0, 10)).changes.map(({ revision }) => revision)).toEqual([2]);
    });

    it('gives the catalog and tells which groups are behind it', async () => {
      const { value: first } = await harness.catalog.putCluster('catalogs', {});
      const ref = { cluster: 'catalogs', groupId: 'g' };
      await store.transact(
        ref,
        commit(() => group({ catalogRevision: first.catalogRevision })),
      );
      const behind = async () =>
        (await replica.findBehindCatalog(1_000)).map((due) => due.ref).filter(({ cluster }) => cluster === 'catalogs');
      expect(await behind()).toEqual([]);
      const { value: topic } = await harness.catalog.putTopic('catalogs', 'orders', { partitions: 3 });
      expect(await behind()).toEqual([ref]);
      const { reply: catalog } = await replica.transact(ref, (view) => ({ group: view.group, reply: view.catalog }));
      expect(catalog.revision).toBe(first.catalogRevision + 1);
      expect([...catalog.topics]).toEqual([['orders', { name: 'orders', id: topic.id, partitions: 3 }]]);
      await store.transact(
        ref,
        commit((before) => next(before!, {}, { catalogRevision: catalog.revision })),
      );
      expect(await behind()).toEqual([]);
      expect((await store.read(ref))!.catalog).toEqual(catalog);
    });

    it('keeps that a group has looked at a catalog which changes nothing for it, without a new revision', async () => {
      const ref = await create(group({ catalogRevision: 1 }, [member('a')]));
      await replica.read(ref);
      const look = (catalogRevision: number) =>
        store.transact(ref, ({ group: before }) => ({ group: { ...before!, catalogRevision }, reply: before }));
      await look(5);
      for (const from of [store, replica, harness.newStore()]) {
        expect((await from.read(ref))!.group).toMatchObject({ revision: 1, catalogRevision: 5 });
        const { reply } = await from.transact(ref, (view) => ({ group: view.group, reply: view.group }));
        expect(reply).toMatchObject({ revision: 1, catalogRevision: 5 });
      }
      expect((await store.changesSince(ref, 0, 10)).changes).toHaveLength(1);
    });

    it('reads many groups in one go; those that do not exist are missing', async () => {
      const refs = [await create(group({}, [member('a')])), await create(group({}, [member('b')])), newRef()];
      await store.read(refs[0]!);
      const readings = await store.readMany(
        'default',
        refs.map(({ groupId }) => groupId),
      );
      expect([...readings.keys()].sort()).toEqual(
        refs
          .slice(0, 2)
          .map(({ groupId }) => groupId)
          .sort(),
      );
      for (const ref of refs) {
        const { now, ...reading } = (await replica.read(ref)) ?? { now: 0 };
        const { now: then, ...other } = readings.get(ref.groupId) ?? { now: 0 };
        expect(other).toEqual(reading);
        expect(now).toBeGreaterThanOrEqual(then);
      }
      expect(await store.readMany('default', [])).toEqual(new Map());
    });

    describe('leases', () => {
      const short = { ...SETTINGS, sessionTimeoutMs: 1_200 };
      const live = (fields: Partial<ConsumerGroup> = {}) =>
        group({ settings: short, catalogRevision: currentCatalog, ...fields }, [
          member('a'),
          member('b', { joinOrder: 1 }),
        ]);
      let currentCatalog = 0;

      beforeAll(async () => {
        currentCatalog = (await harness.catalog.getCluster('default')).catalogRevision;
      });

      it('S-09 runs by the store clock: session timeout from now, renewed in one cheap step', async () => {
        const ref = newRef();
        const { leases, now } = await store.transact(
          ref,
          commit(() => live(), { renewed: ['a', 'b'] }),
        );
        expect(leases.get('a')! - now).toBeGreaterThanOrEqual(short.sessionTimeoutMs);
        expect(leases.get('a')! - now).toBeLessThan(short.sessionTimeoutMs + 5_000);
        await sleep(20);
        const renewal = await replica.renewLease(ref, 'a', 1);
        expect(renewal!.leaseUntil).toBeGreaterThan(leases.get('a')!);
        expect(renewal!.leaseUntil - renewal!.now).toBeLessThanOrEqual(short.sessionTimeoutMs);
        expect(renewal!.revision).toBe(1);
        const reading = await store.read(ref);
        expect(reading!.leases).toEqual(new Map([...leases, ['a', renewal!.leaseUntil]]));
      });

      it('gives every member of a live group a lease, and none to those of an imported one', async () => {
        const ref = await create(live());
        expect([...(await store.read(ref))!.leases.keys()].sort()).toEqual(['a', 'b']);
        const imported = await create(live({ source: 'imported' }));
        expect((await store.read(imported))!.leases.size).toBe(0);
        expect(await store.renewLease(imported, 'a', 1)).toBeUndefined();
      });

      it.each<[string, () => Partial<ConsumerGroup>]>([
        ['the member is at another epoch', () => ({ members: new Map([['a', member('a', { memberEpoch: 2 })]]) })],
        ['the group has a newer epoch', () => ({ groupEpoch: 2 })],
        ['the group has a newer target', () => ({ groupEpoch: 2, assignmentEpoch: 2 })],
        ['it must revoke', () => ({ members: new Map([['a', member('a', { state: 'UNREVOKED_PARTITIONS' })]]) })],
        [
          'it waits for partitions',
          () => ({ members: new Map([['a', member('a', { state: 'UNRELEASED_PARTITIONS' })]]) }),
        ],
        ['the group has not seen the newest catalog', () => ({ catalogRevision: currentCatalog - 1 })],
        ['there is no such member', () => ({ members: new Map() })],
      ])('takes the long way when %s', async (_, fields) => {
        const ref = await create(live({}));
        expect(await store.renewLease(ref, 'a', 1)).toBeDefined();
        await store.transact(
          ref,
          commit((before) => next(before!, {}, fields())),
        );
        expect(await store.renewLease(ref, 'a', 1)).toBeUndefined();
      });

      it('renews a member that waits, at exactly the revision that it was asked for', async () => {
        const waiting = [
          member('a', { state: 'UNRELEASED_PARTITIONS' }),
          member('b', { state: 'UNREVOKED_PARTITIONS', joinOrder: 1 }),
        ];
        const ref = await create(live({ members: new Map(waiting.map((each) => [each.memberId, each])) }));
        for (const id of ['a', 'b']) expect(await replica.renewLeaseAt(ref, id, 1)).toMatchObject({ revision: 1 });
        expect(await replica.renewLeaseAt(ref, 'nobody', 1)).toBeUndefined();
        expect(await replica.renewLeaseAt(ref, 'a', 2)).toBeUndefined();
        await store.transact(
          ref,
          commit((before) => next(before!)),
        );
        expect(await replica.renewLeaseAt(ref, 'a', 1)).toBeUndefined();
        expect(await replica.renewLeaseAt(ref, 'a', 2)).toMatchObject({ revision: 2 });
        await store.transact(
          ref,
          commit((before) => next(before!, {}, { catalogRevision: currentCatalog - 1 })),
        );
        expect(await replica.renewLeaseAt(ref, 'a', 3)).toBeUndefined();
        await sleep(short.sessionTimeoutMs + 50);
        await store.transact(
          ref,
          commit((before) => next(before!, {}, { catalogRevision: currentCatalog })),
        );
        expect(await replica.renewLeaseAt(ref, 'a', 4)).toBeUndefined();
      });

      it('never shortens what was promised', async () => {
        const ref = newRef();
        const long = { ...SETTINGS, sessionTimeoutMs: 60_000 };
        const { leases } = await store.transact(
          ref,
          commit(() => live({ settings: long }), { renewed: ['a'] }),
        );
        const shorter = commit((before) => next(before!, {}, { settings: short }), { renewed: ['a'] });
        expect((await store.transact(ref, shorter)).leases.get('a')).toBe(leases.get('a'));
        expect((await store.renewLease(ref, 'a', 1))!.leaseUntil).toBe(leases.get('a'));
      });

      it('S-09 ends: an expired member is found, shown to the step and cannot come back', async () => {
        const ref = newRef();
        await store.transact(
          ref,
          commit(() => live()),
        );
        await sleep(short.sessionTimeoutMs / 2);
        expect(await store.renewLease(ref, 'b', 1)).toBeDefined();
        await sleep(short.sessionTimeoutMs / 2 + 50);
        expect((await replica.findExpired(1_000)).map((due) => due.ref)).toContainEqual(ref);
        expect(await replica.renewLease(ref, 'a', 1)).toBeUndefined();
        const { reply } = await replica.transact(ref, ({ group: before, expired }) => {
          const after = next(before!, { a: undefined });
          return { group: after, change: changeOf(after), reply: [...expired] };
        });
        expect(reply).toEqual(['a']);
        expect((await readGroup(ref))!.members.has('a')).toBe(false);
        expect(await store.renewLease(ref, 'a', 1)).toBeUndefined();
      });

      it('finds live groups whose timer has rung, whatever it was for', async () => {
        const past = 1_700_000_000_000;
        const due = await create(group({ groupEpoch: 2, nextAssignmentAt: past }));
        const computed = await create(group({ nextAssignmentAt: past }));
        const imported = await create(group({ source: 'imported', nextAssignmentAt: past }));
        const later = await create(group({ groupEpoch: 2, nextAssignmentAt: Date.now() + 3_600_000 }));
        const found = (await store.findExpired(1_000)).map((each) => each.ref);
        expect(found).toContainEqual(due);
        expect(found).toContainEqual(computed);
        expect(found).not.toContainEqual(imported);
        expect(found).not.toContainEqual(later);
      });

      it('finds members whose rebalance timer has run out, of live groups only', async () => {
        const late = [member('a', { rebalanceDeadline: 1_700_000_000_000 })];
        const ref = await create(group({ settings: SETTINGS }, late));
        const imported = await create(group({ source: 'imported' }, late));
        const due = (await store.findExpired(1_000)).map((each) => each.ref);
        expect(due).toContainEqual(ref);
        expect(due).not.toContainEqual(imported);
      });
    });

    describe('many at once', () => {
      it('S-12 50 concurrent steps on one group of two replicas: every revision once, nothing lost', async () => {
        const ref = newRef();
        const seen: number[] = [];
        const join = (i: number) =>
          (i % 2 === 0 ? store : replica).transact(ref, ({ group: before }) => {
            const joined = member(`m-${i}`, {
              joinOrder: before?.nextJoinOrder ?? 0,
              assigned: owned({ t: { [i]: 1 } }),
            });
            const after =
              before === undefined
                ? group({ nextJoinOrder: 1 }, [joined])
                : next(before, { [joined.memberId]: joined }, { nextJoinOrder: before.nextJoinOrder + 1 });
            return { group: after, change: changeOf(after), renewed: [joined.memberId], reply: after.revision };
          });
        const results = await Promise.all(Array.from({ length: 50 }, (_, i) => join(i)));
        seen.push(...results.map(({ reply }) => reply));
        expect(seen.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
        const reading = await harness.newStore().read(ref);
        expect(reading!.group.members.size).toBe(50);
        expect(reading!.leases.size).toBe(50);
        expect([...reading!.group.members.values()].map(({ joinOrder }) => joinOrder)).toEqual(
          Array.from({ length: 50 }, (_, i) => i),
        );
        const { changes } = await store.changesSince(ref, 0, 100);
        expect(changes.map(({ revision }) => revision)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
      });

      it('a step that fails keeps those that came with it from nothing', async () => {
        const ref = await create(group({}, [member('a', { assigned: owned({ t: { 0: 1 } }) })]));
        const join = (id: string, fields: Partial<ConsumerMember> = {}) =>
          store.transact(
            ref,
            commit((before) => next(before!, { [id]: member(id, { joinOrder: before!.members.size, ...fields }) })),
          );
        const refuse = () =>
          store.transact(ref, () => {
            throw new Error('refused');
          });
        const outcomes = await Promise.allSettled([
          join('b'),
          refuse(),
          join('thief', { assigned: owned({ t: { 0: 2 } }) }),
          join('unstorable', { clientId: '\u0000' }),
          join('c'),
        ]);
        expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([true, false, false, false, true]);
        const after = await readGroup(ref);
        expect([...after!.members.keys()]).toEqual(['a', 'b', 'c']);
        expect(after!.revision).toBe(3);
      });

      it('a member that was heard is not expired for the steps that came with it', async () => {
        const ref = await create(group({ settings: { ...SETTINGS, sessionTimeoutMs: 30 } }, [member('a')]));
        await sleep(60);
        const look = () => store.transact(ref, ({ group, expired }) => ({ group, reply: [...expired] }));
        const hear = () => store.transact(ref, ({ group }) => ({ group, renewed: ['a'], reply: [] }));
        // The first holds the group, so that the others queue up behind it and run together.
        const [first, heard, second] = await Promise.all([look(), hear(), look()]);
        expect([first.reply, second.reply]).toEqual([['a'], []]);
        expect(heard.leases.get('a')).toBeGreaterThan(heard.now);
      });

      it('steps on different groups do not wait for each other', async () => {
        const refs = await Promise.all(Array.from({ length: 20 }, () => create(group())));
        await Promise.all(
          refs.flatMap((ref) =>
            [1, 2, 3].map(() =>
              store.transact(
                ref,
                commit((before) => next(before!)),
              ),
            ),
          ),
        );
        for (const ref of refs) expect((await readGroup(ref, store))!.revision).toBe(4);
      });

      it('heartbeats and expiry race: a member is either renewed or fenced, never both', async () => {
        const timeout = 80;
        const ref = newRef();
        const racing = group({ settings: { ...SETTINGS, sessionTimeoutMs: timeout } }, [member('a')]);
        racing.members.get('a');
        const catalogRevision = (await harness.catalog.getCluster('default')).catalogRevision;
        await store.transact(
          ref,
          commit(() => ({ ...racing, catalogRevision })),
        );
        let renewedAt = 0;
        let fenced = false;
        const fence = async () => {
          for (let i = 0; i < 60 && !fenced; i++) {
            await replica.transact(ref, ({ group: before, expired }) => {
              if (!expired.has('a')) return { group: before, reply: 0 };
              const after = next(before!, { a: undefined });
              return { group: after, change: changeOf(after), reply: 1 };
            });
            fenced = (await readGroup(ref, replica))!.members.size === 0;
          }
        };
        const beat = async () => {
          for (let i = 0; i < 30; i++) {
            const renewal = await store.renewLease(ref, 'a', 1);
            if (renewal === undefined) return;
            expect(fenced).toBe(false);
            renewedAt = renewal.leaseUntil;
            await sleep(Math.random() * timeout * 1.2);
          }
        };
        await Promise.all([beat(), fence()]);
        const reading = await store.read(ref);
        if (reading!.group.members.size === 0) expect(reading!.now).toBeGreaterThanOrEqual(renewedAt);
        else expect(reading!.leases.get('a')).toBe(renewedAt);
      });
    });

    describeHistory({
      newStore: () => harness.newStore(),
      newRef,
      forgetChanges: (ref, upTo) => harness.forgetChanges(ref, upTo),
    });
    describeClassicGroups({ newStore: () => harness.newStore(), newRef });
  });
}
