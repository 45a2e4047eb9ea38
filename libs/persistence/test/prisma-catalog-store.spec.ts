import { afterAll } from '@jest/globals';
import { PrismaCatalogStore, PrismaGroupStore, openDatabase } from '@allot/persistence';
import type { Database } from '@allot/persistence';
import { createTestDatabase } from '../../../test/support/test-database.js';
import type { TestDatabase } from '../../../test/support/test-database.js';
import { catalogStoreSuite } from './catalog-store-suite.js';

let database: Database;
let testDatabase: TestDatabase;

catalogStoreSuite('PrismaCatalogStore', async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url);
  return { catalog: new PrismaCatalogStore(database), groups: new PrismaGroupStore(database) };
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});
