import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** What Prometheus scrapes. Each application has a registry of its own, so that two in one process do not collide. */
export class Metrics {
  readonly registry = new Registry();
  readonly #requests = new Histogram({
    name: 'allot_http_request_duration_seconds',
    help: 'Time from the request line to the end of the answer, by route template.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [this.registry],
  });

  constructor(version: string) {
    collectDefaultMetrics({ register: this.registry });
    new Gauge({
      name: 'allot_build_info',
      help: 'Always 1; the labels tell the version.',
      labelNames: ['version', 'node'],
      registers: [this.registry],
    }).set({ version, node: process.version }, 1);
  }

  observeRequest(method: string, route: string, status: number, seconds: number): void {
    this.#requests.observe({ method, route, status: String(status) }, seconds);
  }

  /** A counter of this application; features make theirs once, in a constructor. */
  counter<L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> {
    return new Counter({ name, help, labelNames: [...labelNames], registers: [this.registry] });
  }
}
