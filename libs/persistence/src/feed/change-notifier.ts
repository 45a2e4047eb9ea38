import type { Database } from '../database/database.js';

/** The channel that carries `<group key>:<revision>`; revision 0 when the group was deleted. */
export const CHANGES_CHANNEL = 'allot_changes';

/**
 * Tells other processes of committed revisions: after the commit, on another connection, many at a time. NOTIFY inside the
 * transactions would make all commits of the database queue for one lock. What is lost here is found by the readers' poll.
 */
export class ChangeNotifier {
  readonly #pending = new Map<bigint, number>();
  #flushing: Promise<void> | undefined;

  constructor(private readonly database: Database) {}

  /** Returns at once and never fails. */
  notify(pk: bigint, revision: number): void {
    this.#pending.set(pk, revision);
    this.#flushing ??= this.#flush();
  }

  /** Resolves when everything notified so far has been sent or given up. */
  async drain(): Promise<void> {
    await this.#flushing;
  }

  async #flush(): Promise<void> {
    // Lets the transactions that commit in the same turn share one statement.
    await Promise.resolve();
    while (this.#pending.size > 0) {
      const payloads = [...this.#pending].map(([pk, revision]) => `${pk}:${revision}`);
      this.#pending.clear();
      try {
        await this.database.prisma.$queryRaw`
          SELECT count(pg_notify(${CHANGES_CHANNEL}, payload)) FROM unnest(${payloads}::text[]) AS r(payload)`;
      } catch {
        // Only a hint.
      }
    }
    this.#flushing = undefined;
  }
}
