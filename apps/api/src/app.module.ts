import { type DynamicModule, Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { BrokersController } from './brokers/brokers.controller.js';
import { ClustersController } from './clusters/clusters.controller.js';
import type { Config } from './config/config.js';
import { HealthController } from './health/health.controller.js';
import { MediaTypeGuard } from './http/media-types.js';
import { Shutdown } from './http/shutdown.js';
import { Metrics } from './observability/metrics.js';
import { type AppPorts, CATALOG_STORE, CHANGE_FEED, CONFIG, DATABASE_PROBE, GROUP_STORE } from './ports.js';
import { TopicsController } from './topics/topics.controller.js';

export interface AppModuleOptions {
  readonly ports: AppPorts;
  readonly config: Config;
  readonly metrics: Metrics;
}

/** What every feature may inject. */
@Global()
@Module({})
class FrameModule {
  static register({ ports, config, metrics }: AppModuleOptions): DynamicModule {
    const providers = [
      { provide: CATALOG_STORE, useValue: ports.catalog },
      { provide: GROUP_STORE, useValue: ports.groups },
      { provide: CHANGE_FEED, useValue: ports.feed },
      { provide: DATABASE_PROBE, useValue: ports.database },
      { provide: CONFIG, useValue: config },
      { provide: Metrics, useValue: metrics },
      Shutdown,
    ];
    return { module: FrameModule, providers, exports: providers };
  }
}

/** The service: one module a feature. */
@Module({})
export class AppModule {
  static register(options: AppModuleOptions): DynamicModule {
    return {
      module: AppModule,
      imports: [FrameModule.register(options)],
      controllers: [HealthController, ClustersController, BrokersController, TopicsController],
      providers: [{ provide: APP_GUARD, useClass: MediaTypeGuard }],
    };
  }
}
