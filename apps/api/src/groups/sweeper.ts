import { ExpiryGrace, GRACE_MS, GroupCoordinator } from '@allot/coordinator';
import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { Config } from '../config/config.js';
import { CONFIG } from '../ports.js';
import { CatalogChanges } from './catalog-changes.js';

/** Time between passes when nothing wakes the sweeper. */
const INTERVAL_MS = 500;
/** Groups a pass takes at once; a full pass is followed by another without a pause. */
const BATCH = 100;
const ORIGIN = { actor: 'allot' };

/**
 * Does what time brings, on every replica: fences members whose lease or rebalance timer ended (by the database's clock) and shows
 * groups the newest catalog. One loop a process, never two passes at once; replicas may overlap, since each step re-checks under
 * the group's lock.
 */
@Injectable()
export class Sweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  #stopped = false;
  #running: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  #woken = false;
  readonly #grace: ExpiryGrace;
  readonly #logger = new Logger('Sweeper');

  constructor(
    private readonly coordinator: GroupCoordinator,
    private readonly catalogChanges: CatalogChanges,
    @Inject(CONFIG) { minSessionTimeoutMs }: Config,
  ) {
    this.#grace = new ExpiryGrace(performance.now(), minSessionTimeoutMs);
  }

  onApplicationBootstrap(): void {
    this.catalogChanges.listen(() => this.#rouse());
    this.#running = this.#run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#stopped = true;
    this.#rouse();
    await this.#running;
  }

  #rouse(): void {
    this.#woken = true;
    this.#wake?.();
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#woken = false;
      const more = await this.#pass();
      if (!more && !this.#woken && !this.#stopped) await this.#pause();
    }
  }

  /** Whether there is more to do at once. */
  async #pass(): Promise<boolean> {
    try {
      const { touched, failures } = await this.coordinator.sweep(BATCH, ORIGIN, { mayFence: () => this.#mayFence() });
      this.#noteHeard();
      for (const { ref, error } of failures) this.#logger.error(`sweeping ${ref.cluster}/${ref.groupId} failed`, error);
      return touched >= BATCH && failures.length === 0;
    } catch (error) {
      this.#logger.warn(`a sweep failed and is tried again: ${String(error)}`);
      return false;
    }
  }

  /** Asked within a pass, when the database has answered: the first pass after an outage must not fence anyone yet. */
  #mayFence(): boolean {
    this.#noteHeard();
    return this.#grace.mayFence(performance.now());
  }

  #noteHeard(): void {
    const awayMs = this.#grace.heard(performance.now());
    if (awayMs === undefined) return;
    const away = Math.round(awayMs / 1000);
    this.#logger.warn(`the database was away for ${away} s; nobody is fenced for the next ${GRACE_MS / 1000} s`);
  }

  async #pause(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, INTERVAL_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }
}
