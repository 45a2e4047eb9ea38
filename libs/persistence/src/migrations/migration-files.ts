import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One folder of prisma/migrations. */
export interface MigrationFile {
  /** The folder's name; names sort in the order of application. */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file in hex, as Prisma writes it into `_prisma_migrations`. */
  readonly checksum: string;
}

/** Both src/ and dist/ lie two folders below the library, which lies two below the project. */
const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../../../prisma/migrations', import.meta.url));

/** The migrations of this release, oldest first. */
export async function readMigrationFiles(folder: string = MIGRATIONS_FOLDER): Promise<readonly MigrationFile[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(join(folder, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: checksumOf(sql) };
    }),
  );
}

/** Whether a recorded checksum is that of `file`; a checkout that changed the line ends does not count as an edit. */
export function hasChecksum(file: MigrationFile, recorded: string): boolean {
  const unix = file.sql.replaceAll('\r\n', '\n');
  return [file.checksum, checksumOf(unix), checksumOf(unix.replaceAll('\n', '\r\n'))].includes(recorded);
}

function checksumOf(sql: string): string {
  return createHash('sha256').update(sql, 'utf8').digest('hex');
}
