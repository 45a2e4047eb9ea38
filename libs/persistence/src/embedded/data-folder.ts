import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';

/** Whom the server runs as. PostgreSQL refuses to run as root, so root starts it as somebody else. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

export interface DataFolder {
  readonly path: string;
  /** Set when this process is root. */
  readonly user?: ServerUser;
  /** Something the operator should know, such as a folder other than expected. */
  readonly notice?: string;
}

export interface DataFolderChoice {
  /** ALLOT_DATA_DIR. */
  readonly configured?: string;
  /** Where the project lives; the data is kept in its `.allot` unless another folder is configured. */
  readonly projectRoot: string;
}

/**
 * Chooses and makes the folder of the embedded PostgreSQL. As root, the server's own user must be able to reach it; the default
 * folder of a project that is closed to others (a checkout under /root) is replaced by one under /var/lib/allot.
 * @throws EmbeddedPostgresError when a configured folder cannot be reached, or the folder cannot be made.
 */
export function chooseDataFolder(choice: DataFolderChoice): DataFolder {
  const wanted = resolve(choice.configured ?? join(choice.projectRoot, '.allot'));
  if (process.getuid?.() !== 0) {
    makeFolder(wanted, 0o700);
    return { path: wanted };
  }
  const user = serverUser(join(wanted, 'postgres'));
  const closed = firstClosedFolder(dirname(wanted), user);
  if (closed === undefined) {
    makeReachable(wanted, user);
    return { path: wanted, user };
  }
  if (choice.configured !== undefined) {
    throw new EmbeddedPostgresError(
      `PostgreSQL does not run as root, and the user it runs as (uid ${user.uid}) cannot enter ${closed}, a parent of ` +
        `ALLOT_DATA_DIR. Run \`chmod o+x ${closed}\`, choose another folder, or start Allot as an ordinary user.`,
    );
  }
  const path = join('/var/lib/allot', `${basename(choice.projectRoot)}-${shortHash(choice.projectRoot)}`);
  const fallbackUser = serverUser(join(path, 'postgres'));
  makeReachable(path, fallbackUser);
  const notice = `Data is kept in ${path}: the user that PostgreSQL runs as cannot enter ${closed}.`;
  return { path, user: fallbackUser, notice };
}

/** The first folder on the way to `path` that the user may not pass through; undefined when the way is open. */
export function firstClosedFolder(path: string, user: ServerUser): string | undefined {
  const closedAbove = dirname(path) === path ? undefined : firstClosedFolder(dirname(path), user);
  if (closedAbove !== undefined || !existsSync(path)) return closedAbove;
  const { mode, uid, gid } = statSync(path);
  const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
  return (mode & bit) === 0 ? path : undefined;
}

/** Makes a folder and those above it; answers the first one that was missing. */
function makeFolder(path: string, mode?: number): string | undefined {
  try {
    return mkdirSync(path, { recursive: true, ...(mode !== undefined && { mode }) });
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new EmbeddedPostgresError(
      `The folder for PostgreSQL's data, ${path}, cannot be made (${reason}). Name one that can be written with ` +
        'ALLOT_DATA_DIR, or a PostgreSQL of your own with DATABASE_URL.',
      error,
    );
  }
}

function makeReachable(path: string, user: ServerUser): void {
  const firstMade = makeFolder(path);
  if (firstMade !== undefined) {
    // The umask may have closed what was made just now.
    for (let made = path; made.length >= firstMade.length; made = dirname(made)) chmodSync(made, 0o755);
  }
  if (lstatSync(path).isSymbolicLink() || lstatSync(path).uid !== 0) {
    const closed = firstClosedFolder(path, user);
    if (closed !== undefined) throw new EmbeddedPostgresError(`The user PostgreSQL runs as cannot enter ${closed}.`);
    return;
  }
  if (firstClosedFolder(path, user) !== undefined) chmodSync(path, statSync(path).mode | 0o011);
}

/** The owner of existing data, else the user `postgres` (made when missing), else `nobody`. */
function serverUser(pgdata: string): ServerUser {
  if (existsSync(pgdata)) {
    const { uid, gid } = statSync(pgdata);
    if (uid !== 0) return { uid, gid };
  }
  const existing = lookUp('postgres');
  if (existing !== undefined) return existing;
  try {
    execFileSync('useradd', ['--system', '--user-group', '--no-create-home', 'postgres'], { stdio: 'ignore' });
  } catch {
    // No useradd here, or not allowed to: any user but root will do.
  }
  const user = lookUp('postgres') ?? lookUp('nobody');
  if (user === undefined) {
    throw new EmbeddedPostgresError(
      'PostgreSQL does not run as root, and this machine has neither a user `postgres` nor `nobody`. Start Allot as an ' +
        'ordinary user, or use another PostgreSQL with DATABASE_URL.',
    );
  }
  return user;
}

function lookUp(name: string): ServerUser | undefined {
  try {
    const number = (flag: string) =>
      Number.parseInt(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }));
    return { uid: number('-u'), gid: number('-g') };
  } catch {
    return undefined;
  }
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
