import { describe, expect, it } from '@jest/globals';
import { ConfigError, readConfig } from '../src/config/config.js';

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('readConfig', () => {
  it('needs nothing', () => {
    expect(readConfig({})).toEqual({
      port: 3000,
      host: '127.0.0.1',
      databaseUrl: undefined,
      dataDir: undefined,
      minSessionTimeoutMs: 6000,
      logLevel: 'info',
      drainMs: 10_000,
      assignorModules: [],
      assignorTimeoutMs: 500,
      history: { leastPerGroup: 100, mostPerGroup: 10_000, maxAgeMs: 30 * 86_400_000 },
      actorHeader: undefined,
      graphqlIntrospection: true,
      graphqlAllowList: undefined,
      maxWaitMs: 60_000,
    });
    expect(readConfig({ PORT: '', HOST: ' ' })).toMatchObject({ port: 3000, host: '127.0.0.1' });
  });

  it.each(['x', '-1', '65536', '3000.5', '0x10', '1e3'])('refuses the port %s', (PORT) => {
    expect(problemsOf({ PORT })).toEqual([`PORT must be a whole number from 0 to 65535, but is "${PORT}".`]);
  });

  it.each(['127.0.0.1', '127.1.2.3', 'localhost', '::1', '::ffff:127.0.0.1'])('serves %s', (HOST) => {
    expect(readConfig({ HOST }).host).toBe(HOST);
  });

  it.each(['0.0.0.0', '::', '10.0.0.5', 'allot.example.org', '127.0.0.1.example.org', '::ffff:10.0.0.5'])(
    'names the risk of %s, unless told',
    (HOST) => {
      expect(problemsOf({ HOST })).toEqual([expect.stringContaining('anybody on that network could')]);
      expect(problemsOf({ HOST, ALLOT_ALLOW_UNAUTHENTICATED: 'true' })).toHaveLength(1);
      expect(readConfig({ HOST, ALLOT_ALLOW_UNAUTHENTICATED: '1' }).host).toBe(HOST);
    },
  );

  it('reads the paths of modules between commas', () => {
    expect(readConfig({ ALLOT_ASSIGNORS: './a.mjs, /b c/d.mjs,,' }).assignorModules).toEqual(['./a.mjs', '/b c/d.mjs']);
    expect(problemsOf({ ALLOT_ASSIGNOR_TIMEOUT_MS: '60000' })).toHaveLength(1);
  });

  it('reads what is kept of the history, and refuses to keep more at least than at most', () => {
    const day = 86_400_000;
    const env = { ALLOT_HISTORY_MIN_CHANGES: '5', ALLOT_HISTORY_MAX_CHANGES: '50', ALLOT_HISTORY_MAX_AGE_DAYS: '2' };
    expect(readConfig(env).history).toEqual({ leastPerGroup: 5, mostPerGroup: 50, maxAgeMs: 2 * day });
    expect(problemsOf({ ...env, ALLOT_HISTORY_MIN_CHANGES: '51' })).toEqual([
      expect.stringContaining('ALLOT_HISTORY_MIN_CHANGES, what a group keeps at least, is 51'),
    ]);
    expect(problemsOf({ ALLOT_HISTORY_MAX_AGE_DAYS: '0' })).toHaveLength(1);
  });

  it('S-09 refuses session timeouts that do not outlast three heartbeats', () => {
    expect(problemsOf({ ALLOT_MIN_SESSION_TIMEOUT_MS: '299' })).toEqual([expect.stringContaining('300')]);
    expect(readConfig({ ALLOT_MIN_SESSION_TIMEOUT_MS: '300' }).minSessionTimeoutMs).toBe(300);
  });

  it('names everything that is wrong at once, and no password', () => {
    const env = { PORT: 'x', DATABASE_URL: 'mysql://a:secret@b/c', ALLOT_LOG_LEVEL: 'loud', ALLOT_DRAIN_MS: '-5' };
    const problems = problemsOf(env);
    expect(problems).toHaveLength(4);
    expect(problems.join()).not.toContain('secret');
  });
});
