import { ChaosDatabase } from './chaos-database.js';
import { WorkLog } from './checker.js';
import { FaultProxy } from './fault-proxy.js';
import { openPorts } from './free-ports.js';
import { ReplicaProcess, WorkerHost } from './processes.js';

export const SESSION_MS = 6_000;
const SKEW_MS = 7 * 60_000;
const HOSTS = 5;
/** Of the workers of a host, how many are static. */
const STATIC_SHARE = 0.2;

/** Its rebalances wait for the slowest member, so that must not be long. */
const CLASSIC = {
  type: 'classic',
  assignor: 'cooperative-sticky',
  assignedBy: 'service',
  initialDelayMs: 500,
  rebalanceTimeoutMs: SESSION_MS,
};

/** A group under test, and what it must look like in the end. */
export interface TestedGroup {
  readonly id: string;
  readonly topic: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Grows only by acknowledged requests. */
  partitions: number;
  members: number;
}

export interface WorldOptions {
  readonly members: number;
  readonly replicas: number;
  readonly seed: number;
  readonly random: () => number;
}

/** Everything that a fault can hit: the database, a proxy before it for each replica, replicas whose clocks disagree, hosts of workers. */
export class World {
  readonly log = new WorkLog();
  readonly random: () => number;
  readonly hosts: WorkerHost[] = [];
  readonly groups: readonly TestedGroup[] = [
    { id: 'chaos', topic: 'work', settings: { assignor: 'sticky' }, partitions: 300, members: 0 },
    { id: 'other', topic: 'orders', settings: { assignor: 'uniform' }, partitions: 100, members: 0 },
    { id: 'classic', topic: 'clicks', settings: CLASSIC, partitions: 60, members: 0 },
  ];
  /** What went wrong with the test itself. */
  readonly problems: string[] = [];
  /** Replicas that are in trouble: one is always left to serve. */
  readonly busy = new Set<ReplicaProcess>();
  #hostSeed: number;

  private constructor(
    readonly database: ChaosDatabase,
    readonly proxies: readonly FaultProxy[],
    readonly replicas: readonly ReplicaProcess[],
    private readonly options: WorldOptions,
  ) {
    this.random = options.random;
    this.#hostSeed = options.seed;
  }

  static async start(options: WorldOptions): Promise<World> {
    const database = await ChaosDatabase.start();
    const ports = await openPorts(2 * options.replicas);
    const proxies = await Promise.all(
      ports.slice(options.replicas).map((port) => FaultProxy.start(port, () => database.port)),
    );
    const replicas = proxies.map((proxy, i) => {
      return new ReplicaProcess(database.url(proxy.port), ports[i]!, i % 2 === 0 ? SKEW_MS : -SKEW_MS);
    });
    return new World(database, proxies, replicas, options);
  }

  async open(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.start()));
    for (const { id, topic, settings, partitions } of this.groups) {
      await this.call('PUT', `/topics/${topic}`, { partitions });
      await this.call('PUT', `/groups/${id}`, { ...settings, sessionTimeoutMs: SESSION_MS });
    }
    for (let i = 0; i < HOSTS; i++) {
      this.hosts.push(this.newHost(i));
      this.groupOf(i).members += this.#workersOf().all;
    }
  }

  /** A host of workers for the place `index`; whoever was there before had the same instance ids. */
  newHost(index: number): WorkerHost {
    const { id: group, topic, settings } = this.groupOf(index);
    const classic = settings === CLASSIC;
    const { dynamic, fixed } = this.#workersOf();
    const instanceIds = Array.from({ length: fixed }, (_, i) => `host-${index}-${i}`);
    const replicas = this.replicas.map(({ url }) => url);
    return new WorkerHost(
      { group, topic, classic, replicas, workers: dynamic, instanceIds, seed: ++this.#hostSeed },
      this.log,
    );
  }

  /** The last two hosts have a group of their own each. */
  groupOf(host: number): TestedGroup {
    return this.groups[Math.max(0, host - (HOSTS - this.groups.length))]!;
  }

  #workersOf(): { readonly all: number; readonly dynamic: number; readonly fixed: number } {
    const all = Math.max(2, Math.round(this.options.members / HOSTS));
    const fixed = Math.round(all * STATIC_SHARE);
    return { all, dynamic: all - fixed, fixed };
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.random() * list.length)]!;
  }

  /** Asks one replica after the other until one answers. */
  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    let last: unknown;
    const urls = this.replicas.map(({ url }) => url);
    for (const url of [...urls, ...urls]) {
      try {
        const response = await fetch(`${url}/v1/clusters/default${path}`, {
          method,
          signal: AbortSignal.timeout(5_000),
          ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
        });
        if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
        return (await response.json()) as T;
      } catch (error) {
        last = error;
      }
    }
    throw last;
  }

  async close(): Promise<void> {
    await Promise.all(this.hosts.map((host) => host.kill()));
    for (const replica of this.replicas) await replica.stop();
    for (const proxy of this.proxies) await proxy.close();
    await this.database.stop();
  }
}

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
