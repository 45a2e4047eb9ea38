import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataFolder } from './data-folder.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import { cannotRun, freePort, serverEnvironment } from './server-process.js';

/** `instance.json`: kept beside the data directory, readable by its owner only. */
export interface InstanceFile {
  readonly port: number;
  readonly password: string;
}

/** The only role of the embedded database. */
export const DATABASE_USER = 'allot';

/**
 * Makes the data directory unless it is there. initdb works in a folder of another name that is renamed when all is done, so
 * that an interrupted one leaves nothing half made.
 */
export async function ensureInitialised(
  folder: DataFolder,
  binaries: PostgresBinaries,
  volatile: boolean,
): Promise<InstanceFile> {
  const pgdata = join(folder.path, 'postgres');
  const instancePath = join(folder.path, 'instance.json');
  if (existsSync(pgdata)) {
    await refuseOtherVersion(pgdata, binaries);
    const text = await readFile(instancePath, 'utf8').catch((error: unknown) => {
      throw new EmbeddedPostgresError(
        `${instancePath} with the password of the database is missing. Put it back, or move ${folder.path} away to start empty.`,
        error,
      );
    });
    return JSON.parse(text) as InstanceFile;
  }
  const unfinished = `${pgdata}.unfinished`;
  const passwordFile = join(folder.path, 'password.unfinished');
  const instance = { port: await freePort(), password: randomBytes(24).toString('base64url') };
  await rm(unfinished, { recursive: true, force: true });
  await writeFile(passwordFile, instance.password, { mode: 0o600 });
  try {
    if (folder.user !== undefined) {
      await chown(passwordFile, folder.user.uid, folder.user.gid);
      await mkdir(unfinished, { mode: 0o700 });
      await chown(unfinished, folder.user.uid, folder.user.gid);
    }
    await runInitdb(folder, binaries, unfinished, passwordFile, volatile);
    await writeInstance(folder, instance);
    await rename(unfinished, pgdata);
  } finally {
    await rm(passwordFile, { force: true });
  }
  return instance;
}

async function refuseOtherVersion(pgdata: string, binaries: PostgresBinaries): Promise<void> {
  const major = Number((await readFile(join(pgdata, 'PG_VERSION'), 'utf8')).trim());
  if (major === binaries.major) return;
  throw new EmbeddedPostgresError(
    `The data in ${pgdata} was written by PostgreSQL ${major}; this Allot brings PostgreSQL ${binaries.major}. Dump it with the ` +
      'old release and restore it, or name another folder with ALLOT_DATA_DIR.',
  );
}

export async function writeInstance(folder: DataFolder, instance: InstanceFile): Promise<void> {
  const path = join(folder.path, 'instance.json');
  await writeFile(`${path}.unfinished`, `${JSON.stringify(instance)}\n`, { mode: 0o600 });
  await rename(`${path}.unfinished`, path);
}

async function runInitdb(
  folder: DataFolder,
  binaries: PostgresBinaries,
  pgdata: string,
  passwordFile: string,
  volatile: boolean,
): Promise<void> {
  const flags = [
    '--locale=C',
    '--encoding=UTF8',
    '--auth=scram-sha-256',
    '--no-instructions',
    ...(volatile ? ['--no-sync'] : []),
  ];
  const child = spawn(
    binaries.initdb,
    [`--pgdata=${pgdata}`, `--username=${DATABASE_USER}`, `--pwfile=${passwordFile}`, ...flags],
    {
      ...folder.user,
      cwd: folder.path,
      env: serverEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  child.stderr.on('data', (chunk) => (output += String(chunk)));
  const code = await new Promise<number | string | null>((resolve, reject) => {
    child.once('error', (error) => reject(cannotRun(binaries.initdb, error)));
    child.once('close', (exitCode, signal) => resolve(exitCode ?? signal));
  });
  if (code === 0) return;
  throw new EmbeddedPostgresError(`Making the database in ${pgdata} failed (${code}):\n${output.trim()}`);
}
