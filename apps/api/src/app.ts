import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { AppModule } from './app.module.js';
import type { ComputingFactory } from './computing/computing.module.js';
import type { Config } from './config/config.js';
import { createHttpServer } from './http/server.js';
import { Shutdown } from './http/shutdown.js';
import { createLogger, nestLogger } from './observability/log.js';
import { Metrics } from './observability/metrics.js';
import type { AppPorts } from './ports.js';
import { ProblemFilter } from './problems/problem-filter.js';
import { ContractPipe } from './validation/contract-pipe.js';
import { VERSION } from './version.js';

export interface AppOptions {
  readonly ports: AppPorts;
  readonly config: Config;
  readonly logger?: Logger;
  /** Where the planner runs; on this thread when absent. */
  readonly computing?: ComputingFactory;
}

/**
 * The whole service over the given ports, initialised but not listening: tests call `inject`, `main.ts` calls `listen`.
 * `close` ends streams, waits for requests in flight and leaves the ports open.
 */
export async function createApp({
  ports,
  config,
  logger = createLogger(config.logLevel),
  computing,
}: AppOptions): Promise<NestFastifyApplication> {
  const metrics = new Metrics(VERSION);
  const shutdown = new Shutdown();
  const { adapter, routes } = createHttpServer(logger, metrics, shutdown, config.actorHeader);
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.register({ ports, config, metrics, shutdown, ...(computing !== undefined && { computing }) }),
    adapter,
    { bodyParser: false, logger: nestLogger(logger), abortOnError: false },
  );
  app.useGlobalFilters(new ProblemFilter(routes));
  app.useGlobalPipes(new ContractPipe());
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  return app;
}
