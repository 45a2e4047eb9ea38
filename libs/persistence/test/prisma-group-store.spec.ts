import { afterAll } from '@jest/globals';
import pg from 'pg';
import type { GroupRef } from '@allot/coordinator';
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
  const forgetChanges = async ({ cluster, groupId }: GroupRef, upTo: number) => {
    await database.prisma.$executeRaw`
      DELETE FROM group_changes ch USING groups g
      WHERE g.cluster = ${cluster} AND g.group_id = ${groupId} AND ch.group_pk = g.id AND ch.revision <= ${upTo}`;
  };
  return { catalog: new PrismaCatalogStore(database), newStore: () => new PrismaGroupStore(database), forgetChanges };
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
