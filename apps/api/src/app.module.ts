import { type DynamicModule, Global, Module } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { AssignorsModule } from './assignors/assignors.module.js';
import { BrokersModule } from './brokers/brokers.module.js';
import { ClassicModule } from './classic/classic.module.js';
import { ClustersModule } from './clusters/clusters.module.js';
import type { Config } from './config/config.js';
import { ComputingModule, type ComputingFactory } from './computing/computing.module.js';
import { CoordinatorsModule } from './coordinators/coordinators.module.js';
import { DashboardModule } from './dashboard/dashboard.module.js';
import { AllotGraphQLModule } from './graphql/graphql.module.js';
import { GroupsModule } from './groups/groups.module.js';
import { HealthController } from './health/health.controller.js';
import { MediaTypeGuard } from './http/media-types.js';
import { Shutdown } from './http/shutdown.js';
import { IdempotencyInterceptor } from './idempotency/idempotency.interceptor.js';
import { ImportsModule } from './imports/imports.module.js';
import { Metrics } from './observability/metrics.js';
import { DocumentsController } from './openapi/documents.controller.js';
import {
  type AppPorts,
  CATALOG_STORE,
  CHANGE_FEED,
  CONFIG,
  DASHBOARD_READ_MODEL,
  DATABASE_PROBE,
  GROUP_HISTORY,
  GROUP_READ_MODEL,
  GROUP_STORE,
  IDEMPOTENCY_STORE,
  OPERATION_STORE,
  PLAN_STORE,
  STREAM_LEASES,
} from './ports.js';
import { PartitionersModule } from './partitioners/partitioners.module.js';
import { PlacementsModule } from './placements/placements.module.js';
import { HistoryModule } from './history/history.module.js';
import { DeferralInterceptor } from './operations/deferral.interceptor.js';
import { OperationsModule } from './operations/operations.module.js';
import { PlansModule } from './plans/plans.module.js';
import { TopicsModule } from './topics/topics.module.js';

export interface AppModuleOptions {
  readonly ports: AppPorts;
  readonly config: Config;
  readonly metrics: Metrics;
  readonly shutdown: Shutdown;
  readonly computing?: ComputingFactory;
}

/** What every feature may inject. */
@Global()
@Module({})
class FrameModule {
  static register({ ports, config, metrics, shutdown }: AppModuleOptions): DynamicModule {
    const providers = [
      { provide: CATALOG_STORE, useValue: ports.catalog },
      { provide: GROUP_STORE, useValue: ports.groups },
      { provide: GROUP_READ_MODEL, useValue: ports.groupReads },
      { provide: DASHBOARD_READ_MODEL, useValue: ports.dashboard },
      { provide: GROUP_HISTORY, useValue: ports.history },
      { provide: PLAN_STORE, useValue: ports.plans },
      { provide: IDEMPOTENCY_STORE, useValue: ports.idempotency },
      { provide: OPERATION_STORE, useValue: ports.operations },
      { provide: CHANGE_FEED, useValue: ports.feed },
      { provide: STREAM_LEASES, useValue: ports.streamLeases },
      { provide: DATABASE_PROBE, useValue: ports.database },
      { provide: CONFIG, useValue: config },
      { provide: Metrics, useValue: metrics },
      { provide: Shutdown, useValue: shutdown },
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
      imports: [
        FrameModule.register(options),
        AllotGraphQLModule.register(),
        AssignorsModule,
        ComputingModule.register(options.computing),
        ClustersModule,
        BrokersModule,
        TopicsModule,
        GroupsModule,
        ClassicModule,
        PlansModule,
        HistoryModule,
        ImportsModule,
        PartitionersModule,
        PlacementsModule,
        CoordinatorsModule,
        OperationsModule,
        DashboardModule,
      ],
      controllers: [HealthController, DocumentsController],
      providers: [
        { provide: APP_GUARD, useClass: MediaTypeGuard },
        // The outer one keeps what the inner one answers: a repeated request gets the same operation.
        { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
        { provide: APP_INTERCEPTOR, useClass: DeferralInterceptor },
      ],
    };
  }
}
