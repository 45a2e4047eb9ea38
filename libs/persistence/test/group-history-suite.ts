import { beforeAll, describe, expect, it } from '@jest/globals';
import type { GroupRef, GroupStore } from '@allot/coordinator';
import { changeOf, group, next } from './sample-group.js';

export interface HistoryStores {
  readonly newStore: () => GroupStore;
  /** Names a group that does not exist. */
  readonly newRef: () => GroupRef;
  /** Retention: forgets the changes of a group up to a revision. */
  readonly forgetChanges: (ref: GroupRef, upTo: number) => Promise<void>;
}

/** The part of the suite that is about what is remembered of a group. */
export function describeHistory({ newStore, newRef, forgetChanges }: HistoryStores): void {
  describe('history', () => {
    let store: GroupStore;
    let replica: GroupStore;

    beforeAll(() => {
      store = newStore();
      replica = newStore();
    });

    it('keeps a history from which readers resume', async () => {
      const ref = newRef();
      const change = { reason: 'scale out', requestId: 'r-1' };
      const rebalance = { begins: true, target: { movedPartitions: 2, skewBefore: 3, skewAfter: 1 } } as const;
      for (let revision = 1; revision <= 5; revision++) {
        await store.transact(ref, ({ group: before }) => {
          const after = before === undefined ? group() : next(before);
          return {
            group: after,
            change: changeOf(after, {
              origin: { actor: 'alice', ...change },
              members: [
                { memberId: 'a', memberEpoch: 1, state: 'STABLE', current: new Map([['__proto__', [0, 1]]]) },
                { memberId: 'b', removed: true },
              ],
              rebalance,
            }),
            reply: 0,
          };
        });
      }
      const page = await replica.changesSince(ref, 2, 2);
      expect(page).toMatchObject({ oldest: 1, newest: 5 });
      expect(page.changes.map(({ revision }) => revision)).toEqual([3, 4]);
      expect(page.changes[0]).toEqual({
        revision: 3,
        at: 1_700_000_000_123,
        kind: 'member',
        cause: 'member-joined',
        origin: { actor: 'alice', ...change },
        state: 'STABLE',
        groupEpoch: 1,
        assignmentEpoch: 1,
        members: [
          { memberId: 'a', memberEpoch: 1, state: 'STABLE', current: new Map([['__proto__', [0, 1]]]) },
          { memberId: 'b', removed: true },
        ],
        rebalance,
      });
    });

    it('tells a reader that it has lost changes which are no longer kept', async () => {
      const ref = newRef();
      for (let i = 0; i < 5; i++) {
        await store.transact(ref, ({ group: before }) => {
          const after = before === undefined ? group() : next(before);
          return { group: after, change: changeOf(after), reply: 0 };
        });
      }
      await forgetChanges(ref, 3);
      const page = await replica.changesSince(ref, 1, 10);
      expect(page).toMatchObject({ oldest: 4, newest: 5 });
      expect(page.changes.map(({ revision }) => revision)).toEqual([4, 5]);
      await forgetChanges(ref, 5);
      expect(await replica.changesSince(ref, 1, 10)).toEqual({ changes: [], oldest: 6, newest: 5 });
    });
  });
}
