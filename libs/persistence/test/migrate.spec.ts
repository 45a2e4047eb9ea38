import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PostgresProbe, migrate, openDatabase } from '@allot/persistence';
import pg from 'pg';
import { createEmptyDatabase, createTestDatabase } from '../../../test/support/test-database.js';
import type { TestDatabase } from '../../../test/support/test-database.js';
import { readMigrationFiles } from '../src/migrations/migration-files.js';
import { describeCatalog } from './describe-catalog.js';

const OWN_MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));

let database: TestDatabase;
let client: pg.Client;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'allot-migrations-'));
  await cp(OWN_MIGRATIONS, folder, { recursive: true });
  await mkdir(join(folder, '29990101000000_next'));
  await writeFile(join(folder, '29990101000000_next', 'migration.sql'), 'CREATE TABLE next_table (id int);\n');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

beforeEach(async () => {
  database = await createEmptyDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});

afterEach(async () => {
  await client.end();
  await database.drop();
});

const recorded = async () =>
  (await client.query<{ migration_name: string }>('SELECT * FROM _prisma_migrations ORDER BY started_at')).rows;

describe('migrate', () => {
  it('brings an empty database to this release and does nothing the second time', async () => {
    const names = (await readMigrationFiles()).map(({ name }) => name);
    expect(await migrate(database.url)).toEqual(names);
    expect(await migrate(database.url)).toEqual([]);
    expect((await recorded()).map((row) => row.migration_name)).toEqual(names);
    expect(await recorded()).toEqual(
      names.map((name) =>
        expect.objectContaining({
          migration_name: name,
          checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
          finished_at: expect.any(Date),
          rolled_back_at: null,
          applied_steps_count: 1,
        }),
      ),
    );
  });

  it('is safe when twenty start together: each migration once', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, () => migrate(database.url, { folder })));
    const applied = results.flat();
    expect(applied).toHaveLength(new Set(applied).size);
    expect(await recorded()).toHaveLength(applied.length);
  });

  it('goes on where an older release stopped', async () => {
    await migrate(database.url);
    expect(await migrate(database.url, { folder })).toEqual(['29990101000000_next']);
  });

  it('lets an older release run on a newer schema', async () => {
    await migrate(database.url, { folder });
    expect(await migrate(database.url)).toEqual([]);
    const opened = openDatabase(database.url);
    await new PostgresProbe(opened).check();
    await opened.close();
  });

  it('refuses a file that was edited after it was applied', async () => {
    const edited = await mkdtemp(join(tmpdir(), 'allot-edited-'));
    await cp(folder, edited, { recursive: true });
    await migrate(database.url, { folder });
    await writeFile(join(edited, '29990101000000_next', 'migration.sql'), 'CREATE TABLE other (id int);\n');
    await expect(migrate(database.url, { folder: edited })).rejects.toThrow(/29990101000000_next was edited/);
    await writeFile(join(edited, '29990101000000_next', 'migration.sql'), 'CREATE TABLE next_table (id int);\r\n');
    expect(await migrate(database.url, { folder: edited })).toEqual([]);
    await rm(edited, { recursive: true });
  });

  it('refuses to go on from a migration that another tool left half done', async () => {
    await migrate(database.url);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('x', 'y', '2999_broken')`,
    );
    await expect(migrate(database.url, { folder })).rejects.toThrow(/2999_broken was begun/);
    await client.query(`UPDATE _prisma_migrations SET rolled_back_at = now() WHERE id = 'x'`);
    expect(await migrate(database.url, { folder })).toEqual(['29990101000000_next']);
  });

  it('rolls a failing migration back, says why, and can be run again', async () => {
    const failing = await mkdtemp(join(tmpdir(), 'allot-failing-'));
    await cp(OWN_MIGRATIONS, failing, { recursive: true });
    await mkdir(join(failing, '29990101000000_bad'));
    const file = join(failing, '29990101000000_bad', 'migration.sql');
    await writeFile(file, 'CREATE TABLE half (id int); SELECT 1/0;');
    await expect(migrate(database.url, { folder: failing })).rejects.toThrow(
      /29990101000000_bad failed.*division by zero/,
    );
    expect((await client.query(`SELECT to_regclass('half') AS half`)).rows).toEqual([{ half: null }]);
    await writeFile(file, 'CREATE TABLE half (id int);');
    expect(await migrate(database.url, { folder: failing })).toEqual(['29990101000000_bad']);
    await rm(failing, { recursive: true });
  });

  it('is missed by the probe until it has run', async () => {
    const opened = openDatabase(database.url);
    const check = () => new PostgresProbe(opened).check();
    await expect(check()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await migrate(database.url);
    await check();
    await opened.close();
  });
});

it('makes exactly the catalog of the snapshot, with what Prisma cannot see', async () => {
  const migrated = await createTestDatabase();
  const catalog = await describeCatalog(migrated.url);
  await migrated.drop();
  const path = fileURLToPath(new URL('./catalog-snapshot.sql.txt', import.meta.url));
  if (process.env['ALLOT_UPDATE_CATALOG'] === '1') await writeFile(path, catalog);
  expect(catalog).toBe(await readFile(path, 'utf8'));
});
