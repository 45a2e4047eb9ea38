import { setImmediate } from 'node:timers/promises';
import type { GroupRef } from '@allot/coordinator';
import { MemoryCatalog } from '../../apps/api/test/support/memory-catalog.js';
import { MemoryDatabase, MemoryGroupStore } from '../../libs/coordinator/test/support/memory-group-store.js';
import { groupStoreSuite } from '../../libs/persistence/test/group-store-suite.js';

groupStoreSuite('MemoryGroupStore', async () => {
  const catalog = new MemoryCatalog();
  let now = Date.now();
  const database = new MemoryDatabase({ now: () => now, catalogOf: (cluster) => catalog.catalogOf(cluster) });
  const sleep = async (ms: number) => {
    await setImmediate();
    now += Math.ceil(ms);
  };
  const forgetChanges = async (ref: GroupRef, upTo: number) => database.forgetChanges(ref, upTo);
  return { catalog, newStore: () => new MemoryGroupStore(database), forgetChanges, sleep };
});
