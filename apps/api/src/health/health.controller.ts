import { Controller, Get, Header, Inject } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Produces } from '../http/media-types.js';
import { Metrics } from '../observability/metrics.js';
import { DATABASE_PROBE, type DatabaseProbe } from '../ports.js';

/** What orchestrators and Prometheus ask. */
@ApiExcludeController()
@Controller()
export class HealthController {
  constructor(
    @Inject(DATABASE_PROBE) private readonly database: DatabaseProbe,
    @Inject(Metrics) private readonly metrics: Metrics,
  ) {}

  /** The process runs. */
  @Get('healthz')
  health(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** The process can serve: the database answers and has every migration. */
  @Get('readyz')
  async ready(): Promise<{ status: 'ok' }> {
    await this.database.check();
    return { status: 'ok' };
  }

  @Get('metrics')
  @Produces('text/plain', 'application/openmetrics-text')
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  scrape(): Promise<string> {
    return this.metrics.registry.metrics();
  }
}
