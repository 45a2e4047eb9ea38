import { isIP } from 'node:net';
import { DEFAULT_GROUP_LIMITS } from '@allot/coordinator';
import type { HistoryPolicy } from '@allot/persistence';

export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Config {
  readonly port: number;
  readonly host: string;
  /** Undefined: the embedded PostgreSQL. */
  readonly databaseUrl: string | undefined;
  /** Folder of the embedded PostgreSQL; undefined: `.allot` in the project. */
  readonly dataDir: string | undefined;
  readonly minSessionTimeoutMs: number;
  readonly logLevel: LogLevel;
  /** The longest time that a request waits for others; whoever wants to wait longer asks again. */
  readonly maxWaitMs: number;
  /** How long a shutdown waits for requests in flight. */
  readonly drainMs: number;
  /** Paths of modules with assignors of one's own. */
  readonly assignorModules: readonly string[];
  /** How long one of them may take for an answer; requests wait meanwhile. */
  readonly assignorTimeoutMs: number;
  /** What is kept of the history of each group. */
  readonly history: HistoryPolicy;
  /** Header with the name of who asks, set by an authenticating proxy; undefined: everybody is anonymous. */
  readonly actorHeader: string | undefined;
  /** Whether GraphQL tells its schema to those who ask. */
  readonly graphqlIntrospection: boolean;
  /** A JSON file with the only queries that GraphQL answers: a list of texts, or an object of texts. */
  readonly graphqlAllowList: string | undefined;
}

/** The environment cannot be served; each problem is a sentence that names the variable. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
  }
}

const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

/** Three of the shortest heartbeat intervals that a group may have; what is shorter would fence members that do everything right (S-09). */
const LEAST_SESSION_MS = 3 * DEFAULT_GROUP_LIMITS.minHeartbeatIntervalMs;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the configuration from the environment. An empty variable counts as absent.
 * @throws ConfigError with every problem at once.
 */
export function readConfig(env: Environment): Config {
  const problems: string[] = [];
  const config: Config = {
    port: integer(env, 'PORT', 3000, 0, 65_535, problems),
    host: host(env, problems),
    databaseUrl: databaseUrl(env, problems),
    dataDir: text(env, 'ALLOT_DATA_DIR'),
    minSessionTimeoutMs: integer(env, 'ALLOT_MIN_SESSION_TIMEOUT_MS', 6_000, LEAST_SESSION_MS, 3_600_000, problems),
    logLevel: logLevel(env, problems),
    maxWaitMs: integer(env, 'ALLOT_MAX_WAIT_MS', 60_000, 0, 300_000, problems),
    drainMs: integer(env, 'ALLOT_DRAIN_MS', 10_000, 0, 600_000, problems),
    assignorModules: list(env, 'ALLOT_ASSIGNORS'),
    assignorTimeoutMs: integer(env, 'ALLOT_ASSIGNOR_TIMEOUT_MS', 500, 10, 10_000, problems),
    history: historyPolicy(env, problems),
    actorHeader: header(env, 'ALLOT_ACTOR_HEADER', problems),
    graphqlIntrospection: flag(env, 'ALLOT_GRAPHQL_INTROSPECTION', true, problems),
    graphqlAllowList: text(env, 'ALLOT_GRAPHQL_ALLOW_LIST'),
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

const DAY_MS = 86_400_000;

function historyPolicy(env: Environment, problems: string[]): HistoryPolicy {
  const leastPerGroup = integer(env, 'ALLOT_HISTORY_MIN_CHANGES', 100, 1, 1_000_000, problems);
  const mostPerGroup = integer(env, 'ALLOT_HISTORY_MAX_CHANGES', 10_000, 10, 1_000_000, problems);
  const days = integer(env, 'ALLOT_HISTORY_MAX_AGE_DAYS', 30, 1, 3_650, problems);
  if (leastPerGroup > mostPerGroup) {
    problems.push(
      `ALLOT_HISTORY_MIN_CHANGES, what a group keeps at least, is ${leastPerGroup}; it must not be more than ` +
        `ALLOT_HISTORY_MAX_CHANGES, what it keeps at most, which is ${mostPerGroup}.`,
    );
  }
  return { leastPerGroup, mostPerGroup, maxAgeMs: days * DAY_MS };
}

function text(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}

/** Parts between commas. */
function list(env: Environment, name: string): string[] {
  const parts = (text(env, name) ?? '').split(',').map((part) => part.trim());
  return parts.filter((part) => part !== '');
}

function flag(env: Environment, name: string, byDefault: boolean, problems: string[]): boolean {
  const value = text(env, name);
  if (value === undefined) return byDefault;
  if (value === '1' || value === '0') return value === '1';
  problems.push(`${name} must be 1 or 0, but is "${value}".`);
  return byDefault;
}

/** The name of a header, in lower case as Node tells it. */
function header(env: Environment, name: string, problems: string[]): string | undefined {
  const value = text(env, name)?.toLowerCase();
  if (value === undefined || /^[a-z0-9-]+$/.test(value)) return value;
  problems.push(`${name} must be the name of a header, such as X-Forwarded-User, but is "${value}".`);
  return undefined;
}

function integer(
  env: Environment,
  name: string,
  byDefault: number,
  min: number,
  max: number,
  problems: string[],
): number {
  const value = text(env, name);
  if (value === undefined) return byDefault;
  const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return number;
  problems.push(`${name} must be a whole number from ${min} to ${max}, but is "${value}".`);
  return byDefault;
}

/** Without access control everybody who reaches the port may do everything, so only loopback is served unasked. */
function host(env: Environment, problems: string[]): string {
  const value = text(env, 'HOST') ?? '127.0.0.1';
  if (!isLoopback(value) && text(env, 'ALLOT_ALLOW_UNAUTHENTICATED') !== '1') {
    problems.push(
      `HOST is "${value}", which other machines can reach, and this service has no access control yet: anybody on ` +
        'that network could read, change and delete every cluster and group. Leave HOST at 127.0.0.1 and put an ' +
        'authenticating proxy in front, or set ALLOT_ALLOW_UNAUTHENTICATED=1 if the network itself is trusted.',
    );
  }
  return value;
}

function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  const address = host.replace(/^::ffff:/i, '');
  return isIP(address) === 4 ? address.startsWith('127.') : address === '::1';
}

function databaseUrl(env: Environment, problems: string[]): string | undefined {
  const value = text(env, 'DATABASE_URL');
  if (value !== undefined && !/^postgres(ql)?:\/\//.test(value)) {
    // The value may hold a password, so it is not repeated.
    problems.push('DATABASE_URL must start with postgresql://, as in postgresql://user:password@host:5432/database.');
  }
  return value;
}

function logLevel(env: Environment, problems: string[]): LogLevel {
  const value = text(env, 'ALLOT_LOG_LEVEL') ?? 'info';
  const known = LOG_LEVELS.find((level) => level === value);
  if (known === undefined) {
    problems.push(`ALLOT_LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}, but is "${value}".`);
  }
  return known ?? 'info';
}
