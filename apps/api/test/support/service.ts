import type { AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.js';
import { createApp } from '../../src/app.js';
import type { ComputingFactory } from '../../src/computing/computing.module.js';
import { readConfig } from '../../src/config/config.js';
import { openPostgresPorts, type PostgresPorts } from '../../src/postgres-ports.js';

/** One replica of the service, listening on a port of its own. */
export class Replica {
  private constructor(
    readonly app: NestFastifyApplication,
    readonly postgres: PostgresPorts,
    readonly url: string,
  ) {}

  static async start(databaseUrl: string, options: ReplicaOptions = {}): Promise<Replica> {
    const { onStatement, env = {}, computing } = options;
    const postgres = openPostgresPorts(databaseUrl, onStatement === undefined ? {} : { onStatement });
    const config = readConfig({
      ALLOT_LOG_LEVEL: process.env.ALLOT_TEST_LOG ?? 'silent',
      ALLOT_MIN_SESSION_TIMEOUT_MS: '300',
      ...env,
    });
    const app = await createApp({ ports: postgres.ports, config, ...(computing !== undefined && { computing }) });
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    return new Replica(app, postgres, `http://127.0.0.1:${port}`);
  }

  async stop(): Promise<void> {
    await this.app.close();
    await this.postgres.close();
  }

  /** A call with a JSON body; a status that is not expected throws with the problem. */
  async call<T = Json>(
    method: string,
    path: string,
    body?: unknown,
    expected?: number,
    headers: Headers = {},
  ): Promise<T> {
    const { status, json, text } = await this.send(method, path, body, headers);
    if (expected === undefined ? status >= 300 : status !== expected)
      throw new Error(`${method} ${path}: ${status} ${text}`);
    return json as T;
  }

  async send(method: string, path: string, body?: unknown, headers: Headers = {}): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = /json/.test(response.headers.get('content-type') ?? '') ? (JSON.parse(text) as Json) : {};
    return { status: response.status, headers: response.headers, text, json };
  }
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- what a client gets is any JSON
export type Json = any;
type Headers = Record<string, string>;

export interface Answer {
  readonly status: number;
  readonly headers: globalThis.Headers;
  readonly text: string;
  readonly json: Json;
}

export interface ReplicaOptions {
  readonly onStatement?: (sql: string) => void;
  readonly env?: Record<string, string>;
  readonly computing?: ComputingFactory;
}

/** A fresh database with so many replicas on it. */
export async function startReplicas(
  count = 1,
  options: ReplicaOptions = {},
): Promise<{ readonly replicas: Replica[]; readonly database: TestDatabase; stop(): Promise<void> }> {
  const database = await createTestDatabase();
  const replicas = await Promise.all(Array.from({ length: count }, () => Replica.start(database.url, options)));
  const stop = async () => {
    for (const replica of replicas) await replica.stop();
    await database.drop();
  };
  return { replicas, database, stop };
}
