import { afterAll } from '@jest/globals';
import { PrismaCatalogStore, PrismaGroupStore, openDatabase } from '@allot/persistence';
import type { Database } from '@allot/persistence';
import { createTestDatabase } from '../../../test/support/test-database.js';
import type { TestDatabase } from '../../../test/support/test-database.js';
import { groupStoreSuite } from './group-store-suite.js';

let database: Database;
let testDatabase: TestDatabase;

groupStoreSuite('PrismaGroupStore', async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url, { poolSize: 5 });
  return { catalog: new PrismaCatalogStore(database), newStore: () => new PrismaGroupStore(database) };
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});
