import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { readConfig } from '../../src/config/config.js';
import { createApp } from '../../src/app.js';
import type { AppPorts } from '../../src/ports.js';

/** A port whose use is a fault of the test. */
export function unused<T extends object>(name: string): T {
  return new Proxy({} as T, {
    get: (_target, key) => {
      // NestJS looks for lifecycle hooks and promises on everything it is given.
      if (typeof key === 'symbol' || key === 'then' || /^(on|before)[A-Z]/.test(key)) return undefined;
      return () => {
        throw new Error(`this test does not provide ${name}.${key}`);
      };
    },
  });
}

/** The service over the given ports, silent, for `inject`. */
export function startApp(
  ports: Partial<AppPorts> = {},
  env: Record<string, string> = {},
): Promise<NestFastifyApplication> {
  return createApp({
    config: readConfig({ ALLOT_LOG_LEVEL: 'silent', ...env }),
    ports: {
      catalog: ports.catalog ?? unused('catalog'),
      groups: ports.groups ?? unused('groups'),
      groupReads: ports.groupReads ?? unused('groupReads'),
      dashboard: ports.dashboard ?? unused('dashboard'),
      history: ports.history ?? unused('history'),
      plans: ports.plans ?? unused('plans'),
      idempotency: ports.idempotency ?? unused('idempotency'),
      operations: ports.operations ?? unused('operations'),
      feed: ports.feed ?? unused('feed'),
      streamLeases: ports.streamLeases ?? unused('streamLeases'),
      database: ports.database ?? { check: () => Promise.resolve() },
    },
  });
}
