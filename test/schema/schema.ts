// `npm run schema:check`: fails when prisma/schema.prisma and the database that the migrations make differ.
// `npm run schema:diff -- NAME`: writes the difference as a new migration, to be read and completed by hand.
//
// Prisma's own commands download a native schema engine; this runs the same engine as WebAssembly. What Prisma cannot see
// (collations, CHECK constraints, triggers, storage parameters) is in the catalog snapshot of libs/persistence/test.
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EmbeddedPostgres, migrate } from '@allot/persistence';
import { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum, bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import type { SqlDriverAdapter, SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import type * as SchemaEngineModule from '@prisma/schema-engine-wasm';
import pg from 'pg';

type Engine = typeof SchemaEngineModule & { __wbg_set_wasm(exports: unknown): void };

/** What is used of WebAssembly, whose types belong to TypeScript's library for browsers. */
interface WebAssemblyLoader {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: { __wbindgen_start(): void } } }>;
}

const PRISMA_FOLDER = fileURLToPath(new URL('../../prisma/', import.meta.url));
const NO_DIFFERENCE = '-- This is an empty migration.';

interface Findings {
  /** The SQL that turns what the migrations make into what schema.prisma says; empty when they agree. */
  readonly difference: string;
  /** What `prisma migrate deploy` would find wrong with the history that our own applier recorded. */
  readonly history: readonly string[];
}

async function inspect(url: string): Promise<Findings> {
  const schema = await readFile(join(PRISMA_FOLDER, 'schema.prisma'), 'utf8');
  const files = [{ path: 'schema.prisma', content: schema }];
  const filters = { externalTables: [], externalEnums: [] };
  const { SchemaEngine } = await loadEngine();
  const adapter = bindMigrationAwareSqlAdapterFactory(catalogReader(url));
  const engine = await SchemaEngine.new({ datamodels: [['schema.prisma', schema]] }, () => undefined, adapter);
  const { stdout } = await engine.diff({
    from: { tag: 'schemaDatasource', files, configDir: PRISMA_FOLDER },
    to: { tag: 'schemaDatamodel', files },
    script: true,
    exitCode: null,
    filters,
  });
  const sql = (stdout ?? '').trim();
  const migrationsList = await listMigrations();
  const diagnosis = await engine.diagnoseMigrationHistory({ migrationsList, optInToShadowDatabase: false, filters });
  const history = [
    ...diagnosis.editedMigrationNames.map((name) => `${name} counts as edited`),
    ...diagnosis.failedMigrationNames.map((name) => `${name} counts as failed`),
    ...(diagnosis.history === null ? [] : [JSON.stringify(diagnosis.history)]),
  ];
  return { difference: sql === NO_DIFFERENCE ? '' : sql, history };
}

/** The migrations in the form that the engine wants them. */
async function listMigrations(): Promise<SchemaEngineModule.MigrationList> {
  const baseDir = join(PRISMA_FOLDER, 'migrations');
  const entries = await readdir(baseDir, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const migrationDirectories = await Promise.all(
    names.sort().map(async (path) => {
      const value = await readFile(join(baseDir, path, 'migration.sql'), 'utf8');
      return { path, migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value } } };
    }),
  );
  const content = await readFile(join(baseDir, 'migration_lock.toml'), 'utf8');
  return { baseDir, lockfile: { path: 'migration_lock.toml', content }, shadowDbInitScript: '', migrationDirectories };
}

/** The package expects a bundler to load its WebAssembly. */
async function loadEngine(): Promise<Engine> {
  const path = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const engine = (await import(path)) as Engine;
  const bytes = await readFile(path.replace(/\.js$/, '.wasm'));
  const { WebAssembly } = globalThis as unknown as { WebAssembly: WebAssemblyLoader };
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': engine });
  engine.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  return engine;
}

/**
 * The engine reads columns of the type "char" from PostgreSQL's catalog, a type that Prisma's adapter refuses. They travel
 * through the adapter as a type that nothing else here has, "char"[], and leave it as characters.
 */
function catalogReader(url: string): SqlMigrationAwareDriverAdapterFactory {
  const CHAR = 18;
  const CHAR_ARRAY = 1002;
  class CatalogPool extends pg.Pool {
    override query = (async (...args: unknown[]) => {
      const result = await (pg.Pool.prototype.query as (...args: unknown[]) => Promise<pg.QueryResult>).apply(
        this,
        args,
      );
      for (const field of result.fields ?? []) if (field.dataTypeID === CHAR) field.dataTypeID = CHAR_ARRAY;
      return result;
    }) as pg.Pool['query'];
  }
  const factory = new PrismaPg(new CatalogPool({ connectionString: url }), { disposeExternalPool: true });
  const connect = async (): Promise<SqlDriverAdapter> => {
    const adapter = await factory.connect();
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (query) => {
      const result = await queryRaw(query);
      const columnTypes = result.columnTypes.map((type) =>
        type === ColumnTypeEnum.CharacterArray ? ColumnTypeEnum.Character : type,
      );
      return { ...result, columnTypes };
    };
    return adapter;
  };
  const { provider, adapterName } = factory;
  return { provider, adapterName, connect, connectToShadowDb: () => factory.connectToShadowDb() };
}

/** Applies the migrations to an empty database and looks at what they made. */
async function inspectMigrations(): Promise<Findings> {
  const folder = await mkdtemp(join(tmpdir(), 'allot-schema-'));
  const server = await EmbeddedPostgres.start({ configured: folder, projectRoot: folder, volatile: true });
  try {
    await migrate(server.url);
    return await inspect(server.url);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function check(): Promise<number> {
  const { difference, history } = await inspectMigrations();
  if (difference !== '') {
    console.error('schema.prisma and the migrations differ; write a migration (npm run schema:diff -- NAME):\n');
    console.error(difference);
  }
  for (const problem of history) console.error(`Prisma would not agree with the recorded history: ${problem}`);
  if (difference !== '' || history.length > 0) return 1;
  console.log('prisma/schema.prisma, the migrations and the recorded history agree.');
  return 0;
}

async function writeMigration(name: string): Promise<number> {
  const { difference } = await inspectMigrations();
  if (difference === '') {
    console.log('Nothing to migrate: prisma/schema.prisma and the migrations agree.');
    return 0;
  }
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const folder = join(PRISMA_FOLDER, 'migrations', `${stamp}_${name}`);
  await mkdir(folder);
  await writeFile(join(folder, 'migration.sql'), `${difference}\n`);
  console.log(`Wrote ${folder}/migration.sql. Read it, add collations and checks, and update the catalog snapshot.`);
  return 0;
}

async function main([command, name]: readonly string[]): Promise<number> {
  if (command === 'check') return check();
  if (command === 'diff' && name !== undefined && /^[a-z0-9_]+$/.test(name)) return writeMigration(name);
  console.error('Usage: npm run schema:check, or npm run schema:diff -- name_of_the_migration (a-z, 0-9 and _)');
  return 2;
}

// The adapter's pool would keep the process alive.
process.exit(await main(process.argv.slice(2)));
