/** Why the service cannot start, in words for the person who starts it. */
export class StartError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StartError';
  }
}

export function explainListenError(error: unknown, host: string, port: number): unknown {
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return new StartError(
        `Port ${port} on ${host} is taken, perhaps by another Allot. Stop what uses it, or choose another one: PORT=3001 npm start`,
        error,
      );
    case 'EACCES':
      return new StartError(
        `Port ${port} needs more rights than this user has. Choose one above 1023 with PORT.`,
        error,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new StartError(`HOST is ${host}, which is no address of this machine.`, error);
    default:
      return error;
  }
}

/** Of a database that DATABASE_URL names. The URL may hold a password, so only where it points to is said. */
export function explainDatabaseError(error: unknown, url: string): unknown {
  const where = placeOf(url);
  switch (codeOf(error)) {
    case 'ECONNREFUSED':
    case 'ETIMEDOUT':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'ECONNRESET':
      return new StartError(
        `No PostgreSQL answers at ${where} (${codeOf(error)}). Check DATABASE_URL, or leave it out to use the embedded one.`,
        error,
      );
    case '28P01':
    case '28000':
      return new StartError(`PostgreSQL at ${where} refuses the user or the password of DATABASE_URL.`, error);
    case '3D000':
      return new StartError(`The database ${where} does not exist. Create it, then start again.`, error);
    case '42501':
      return new StartError(`The user of DATABASE_URL may not create tables in ${where}.`, error);
    default:
      return error;
  }
}

function placeOf(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `${host}${pathname}`;
  } catch {
    return 'DATABASE_URL';
  }
}

function codeOf(error: unknown): string | undefined {
  // Node gathers the failures of several addresses of one host.
  const one = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  return typeof one === 'object' && one !== null && 'code' in one && typeof one.code === 'string'
    ? one.code
    : undefined;
}
