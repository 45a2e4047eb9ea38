import { expect, it } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase } from '../../../test/support/test-database.js';

it('clones', async () => {
  const db = await createTestDatabase();
  const c = new pg.Client({ connectionString: db.url });
  await c.connect();
  expect((await c.query('select name from clusters')).rows).toEqual([{ name: 'default' }]);
  await c.end();
  await db.drop();
});
