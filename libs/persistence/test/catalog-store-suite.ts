import type { CatalogStore, GroupStore } from '@allot/coordinator';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { changeOf, group } from './sample-group.js';

export interface CatalogStoreHarness {
  readonly catalog: CatalogStore;
  readonly groups: GroupStore;
}

/** What every catalog store must do. */
export function catalogStoreSuite(name: string, createHarness: () => Promise<CatalogStoreHarness>): void {
  describe(`${name} as a catalog store`, () => {
    let catalog: CatalogStore;
    let groups: GroupStore;
    let number = 0;

    beforeAll(async () => {
      ({ catalog, groups } = await createHarness());
    });

    const newCluster = async (): Promise<string> => (await catalog.putCluster(`cluster-${++number}`, {})).value.name;
    const catalogRevision = async (cluster: string) => (await catalog.getCluster(cluster)).catalogRevision;

    describe('clusters', () => {
      it('has the cluster default from the start, which stays', async () => {
        expect(await catalog.getCluster('default')).toMatchObject({
          name: 'default',
          numPartitions: 1,
          offsetsPartitions: 50,
          coordinatorSelection: 'hash',
          revision: 1,
        });
        await expect(catalog.deleteCluster('default')).rejects.toMatchObject({ code: 'CLUSTER_PROTECTED' });
      });

      it('creates, changes and leaves alone; a revision counts changes of the settings', async () => {
        const created = await catalog.putCluster('settings', { numPartitions: 6 });
        expect(created).toMatchObject({
          outcome: 'created',
          value: { numPartitions: 6, offsetsPartitions: 50, revision: 1 },
        });
        expect((await catalog.putCluster('settings', { numPartitions: 6 })).outcome).toBe('unchanged');
        const changed = await catalog.putCluster(
          'settings',
          { coordinatorSelection: 'least-loaded' },
          { ifRevision: 1 },
        );
        expect(changed).toMatchObject({ outcome: 'changed', value: { numPartitions: 6, revision: 2 } });
        const stale = catalog.putCluster('settings', { numPartitions: 7 }, { ifRevision: 1 });
        await expect(stale).rejects.toMatchObject({ code: 'STALE_REVISION', facts: { revision: 2 } });
        expect(await catalog.getCluster('settings')).toEqual(changed.value);
      });

      it('does not create a cluster that the caller believes to exist', async () => {
        const put = catalog.putCluster('ghost', {}, { ifRevision: 3 });
        await expect(put).rejects.toMatchObject({ code: 'STALE_REVISION' });
        await expect(catalog.getCluster('ghost')).rejects.toMatchObject({ code: 'CLUSTER_NOT_FOUND' });
      });

      it.each([{ numPartitions: 0 }, { offsetsPartitions: -1 }, { numPartitions: 1.5 }, { numPartitions: 100_001 }])(
        'refuses %j',
        async (change) => {
          await expect(catalog.putCluster('bad', change)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
        },
      );

      it('lists in byte order, page by page', async () => {
        for (const each of ['z', 'Z', 'é', '_']) await catalog.putCluster(`page-${each}`, {});
        const names: string[] = [];
        let after: string | undefined = 'page-';
        for (let more = true; more;) {
          const page = await catalog.listClusters({ after, limit: 3 });
          expect(page.items.length).toBeLessThanOrEqual(3);
          names.push(...page.items.map((cluster) => cluster.name));
          after = names.at(-1);
          more = page.more;
        }
        expect(names.filter((each) => each.startsWith('page-'))).toEqual(['page-Z', 'page-_', 'page-z', 'page-é']);
      });

      it('deletes a cluster only when it is empty; its brokers go along', async () => {
        const cluster = await newCluster();
        await catalog.putBroker(cluster, 1, { rack: 'a' });
        await catalog.putTopic(cluster, 't', {});
        await expect(catalog.deleteCluster(cluster)).rejects.toMatchObject({
          code: 'NON_EMPTY_CLUSTER',
          facts: { topics: 1 },
        });
        await catalog.deleteTopic(cluster, 't');
        const ref = { cluster, groupId: 'g' };
        const initial = group();
        await groups.transact(ref, () => ({ group: initial, change: changeOf(initial), reply: 0 }));
        await expect(catalog.deleteCluster(cluster)).rejects.toMatchObject({
          code: 'NON_EMPTY_CLUSTER',
          facts: { groups: 1 },
        });
        await groups.transact(ref, () => ({ group: null, reply: 0 }));
        await expect(catalog.deleteCluster(cluster, { ifRevision: 9 })).rejects.toMatchObject({
          code: 'STALE_REVISION',
        });
        await catalog.deleteCluster(cluster, { dryRun: true });
        await catalog.deleteCluster(cluster);
        await expect(catalog.getCluster(cluster)).rejects.toMatchObject({ code: 'CLUSTER_NOT_FOUND' });
        await expect(catalog.deleteCluster(cluster)).rejects.toMatchObject({ code: 'CLUSTER_NOT_FOUND' });
      });

      it('are created and deleted by many at once without any mishap', async () => {
        const name = await newCluster();
        const codes = await Promise.all(
          Array.from({ length: 120 }, (_, i) => {
            const call = i % 3 === 0 ? catalog.putCluster(name, {}) : catalog.deleteCluster(name);
            return call.then(
              () => 'done',
              (error: { code?: string }) => error.code,
            );
          }),
        );
        expect(['done', 'CLUSTER_NOT_FOUND', 'STORE_UNAVAILABLE']).toEqual(expect.arrayContaining([...new Set(codes)]));
      });
    });

    describe('brokers', () => {
      it('creates, changes, lists and deletes; only racks touch the catalog', async () => {
        const cluster = await newCluster();
        const before = await catalogRevision(cluster);
        expect(await catalog.putBroker(cluster, 10, { rack: 'a' })).toEqual({
          outcome: 'created',
          value: { id: 10, rack: 'a', fenced: false, revision: 1 },
        });
        expect(await catalogRevision(cluster)).toBe(before + 1);
        await catalog.putBroker(cluster, 2, { fenced: true });
        expect((await catalog.putBroker(cluster, 2, { fenced: true })).outcome).toBe('unchanged');
        expect(await catalogRevision(cluster)).toBe(before + 1);
        const changed = await catalog.putBroker(cluster, 10, { rack: null }, { ifRevision: 1 });
        expect(changed).toEqual({ outcome: 'changed', value: { id: 10, fenced: false, revision: 2 } });
        expect(await catalogRevision(cluster)).toBe(before + 2);
        await expect(catalog.putBroker(cluster, 10, {}, { ifRevision: 1 })).rejects.toMatchObject({
          code: 'STALE_REVISION',
        });
        expect((await catalog.listBrokers(cluster, { limit: 1 })).items.map(({ id }) => id)).toEqual([2]);
        expect(await catalog.listBrokers(cluster, { after: 2, limit: 1 })).toMatchObject({
          items: [{ id: 10 }],
          more: false,
        });
        await catalog.deleteBroker(cluster, 2);
        await expect(catalog.getBroker(cluster, 2)).rejects.toMatchObject({ code: 'BROKER_NOT_FOUND' });
        await expect(catalog.deleteBroker(cluster, 2)).rejects.toMatchObject({ code: 'BROKER_NOT_FOUND' });
      });
    });

    describe('topics', () => {
      it('takes the default count, makes ids, grows, does not shrink', async () => {
        const { value } = await catalog.putCluster(`cluster-${++number}`, { numPartitions: 4 });
        const cluster = value.name;
        const { value: topic, outcome } = await catalog.putTopic(cluster, '__proto__', {});
        expect(outcome).toBe('created');
        expect(topic).toEqual({
          name: '__proto__',
          id: expect.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_-]{21}$/),
          partitions: 4,
          revision: 1,
          createdAt: expect.any(Number),
        });
        expect(await catalog.getTopic(cluster, '__proto__')).toEqual(topic);
        expect(await catalogRevision(cluster)).toBe(2);
        expect((await catalog.putTopic(cluster, '__proto__', { partitions: 4 })).outcome).toBe('unchanged');
        expect(await catalogRevision(cluster)).toBe(2);
        const grown = await catalog.putTopic(cluster, '__proto__', { partitions: 6 }, { ifRevision: 1 });
        expect(grown).toEqual({ outcome: 'changed', value: { ...topic, partitions: 6, revision: 2 } });
        const shrink = catalog.putTopic(cluster, '__proto__', { partitions: 5 });
        await expect(shrink).rejects.toMatchObject({ code: 'INVALID_PARTITIONS' });
        const stale = catalog.putTopic(cluster, '__proto__', { partitions: 9 }, { ifRevision: 1 });
        await expect(stale).rejects.toMatchObject({ code: 'STALE_REVISION' });
        await catalog.putTopic(cluster, '__proto__', { partitions: 9 }, { dryRun: true });
        expect((await catalog.getTopic(cluster, '__proto__')).partitions).toBe(6);
        await catalog.deleteTopic(cluster, '__proto__');
        const again = await catalog.putTopic(cluster, '__proto__', {});
        expect(again.value.id).not.toBe(topic.id);
      });

      it('derives racks from the brokers of the replicas, or takes those that are given', async () => {
        const cluster = await newCluster();
        const details = [
          { replicas: [1, 2], leader: 1, isr: [1] },
          { replicas: [2, 1], weight: 2 },
        ];
        const { value } = await catalog.putTopic(cluster, 't', { details });
        expect(value).toMatchObject({ partitions: 2, details, weights: [1, 2] });
        expect(value.racks).toBeUndefined();
        await catalog.putBroker(cluster, 1, { rack: 'a' });
        expect((await catalog.getTopic(cluster, 't')).racks).toBeUndefined();
        await catalog.putBroker(cluster, 2, { rack: 'b' });
        expect((await catalog.getTopic(cluster, 't')).racks).toEqual([
          ['a', 'b'],
          ['b', 'a'],
        ]);
        const given = [
          { replicas: [], racks: ['x'] },
          { replicas: [1], racks: ['y'] },
        ];
        expect((await catalog.putTopic(cluster, 't', { details: given })).value.racks).toEqual([['x'], ['y']]);
        const seen = await groups.transact({ cluster, groupId: 'g' }, (view) => ({
          group: undefined,
          reply: view.catalog,
        }));
        expect(seen.reply.topics.get('t')!.racks).toEqual([['x'], ['y']]);
      });

      it('writes many or none', async () => {
        const cluster = await newCluster();
        const good = Array.from({ length: 2_000 }, (_, i) => ({ name: `t-${i}`, partitions: 1 + (i % 7) }));
        const bad = catalog.putTopics(cluster, [...good, { name: 'a b' }]);
        await expect(bad).rejects.toMatchObject({ code: 'INVALID_TOPIC_EXCEPTION' });
        expect((await catalog.listTopics(cluster, { limit: 1 })).items).toEqual([]);
        const written = await catalog.putTopics(cluster, good);
        expect(written.map(({ value, outcome }) => [value.name, value.partitions, outcome])).toEqual(
          good.map(({ name, partitions }) => [name, partitions, 'created']),
        );
        expect(await catalogRevision(cluster)).toBe(2);
        const again = await catalog.putTopics(cluster, [{ name: 't-1' }, { name: 't-2', partitions: 9 }]);
        expect(again.map(({ outcome }) => outcome)).toEqual(['unchanged', 'changed']);
        const page = await catalog.listTopics(cluster, { after: 't-1998', limit: 2 });
        expect(page.items.map(({ name }) => name)).toEqual(['t-1999', 't-2']);
        expect(page.more).toBe(true);
        await expect(catalog.putTopics(cluster, [{ name: 'x' }, { name: 'x' }])).rejects.toMatchObject({
          code: 'INVALID_REQUEST',
        });
      });

      it('takes a topic of the largest size and refuses a larger one', async () => {
        const cluster = await newCluster();
        const { value } = await catalog.putTopic(cluster, 'large', { partitions: 100_000 });
        expect(value.partitions).toBe(100_000);
        const larger = catalog.putTopic(cluster, 'larger', { partitions: 100_001 });
        await expect(larger).rejects.toMatchObject({ code: 'INVALID_PARTITIONS' });
      });

      it('keeps ids apart', async () => {
        const cluster = await newCluster();
        const id = 'AAAAAAAAAAAAAAAAAAAAAA';
        expect((await catalog.putTopic(cluster, 'a', { id })).value.id).toBe(id);
        await expect(catalog.putTopic(cluster, 'b', { id })).rejects.toMatchObject({ code: 'INCONSISTENT_TOPIC_ID' });
      });

      it('names what is unknown', async () => {
        const cluster = await newCluster();
        await expect(catalog.getTopic(cluster, 'x')).rejects.toMatchObject({ code: 'UNKNOWN_TOPIC_OR_PARTITION' });
        await expect(catalog.deleteTopic(cluster, 'x')).rejects.toMatchObject({ code: 'UNKNOWN_TOPIC_OR_PARTITION' });
        for (const call of [
          () => catalog.getTopic('nowhere', 'x'),
          () => catalog.putTopic('nowhere', 'x', {}),
          () => catalog.putTopics('nowhere', []),
          () => catalog.listTopics('nowhere', { limit: 1 }),
          () => catalog.putBroker('nowhere', 1, {}),
          () => catalog.listBrokers('nowhere', { limit: 1 }),
        ]) {
          await expect(call()).rejects.toMatchObject({ code: 'CLUSTER_NOT_FOUND' });
        }
      });

      it('loses no topic and no revision to writers that come together', async () => {
        const cluster = await newCluster();
        const before = await catalogRevision(cluster);
        await Promise.all(
          Array.from({ length: 20 }, (_, i) =>
            catalog.putTopic(cluster, `t${i % 10}`, { partitions: i + 1 }).catch(() => 0),
          ),
        );
        const { items } = await catalog.listTopics(cluster, { limit: 100 });
        expect(items).toHaveLength(10);
        const written = items.reduce((sum, { revision }) => sum + revision, 0);
        expect(await catalogRevision(cluster)).toBe(before + written);
      });
    });
  });
}
