import { afterAll } from '@jest/globals';
import pg from 'pg';
import { PrismaCatalogStore, PrismaGroupStore, openDatabase } from '@allot/persistence';
import type { Database } from '@allot/persistence';
import { createTestDatabase } from '../../../test/support/test-database.js';
import type { TestDatabase } from '../../../test/support/test-database.js';
import { groupStoreSuite } from './group-store-suite.js';

let database: Database;
let testDatabase: TestDatabase;

groupStoreSuite('PrismaGroupStore', async () => {
  testDatabase = await createTestDatabase();
  await moveTimeZone(testDatabase.url);
  database = openDatabase(testDatabase.url, { poolSize: 5 });
  return { catalog: new PrismaCatalogStore(database), newStore: () => new PrismaGroupStore(database) };
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

/** S-09: a session time zone far from UTC must not matter to any lease. */
async function moveTimeZone(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET timezone = 'Pacific/Kiritimati'`);
  await client.end();
}
