/** How long things take, in milliseconds. They only weigh the pauses; who owns what does not depend on them. */
export interface Timing {
  /** Eager and cooperative: from the revocation of a round until its partitions are processed again. 3,000 when absent. */
  readonly rebalanceMs: number;
  /** Consumer protocol: from giving a partition up until the next owner has it, about a heartbeat interval. 5,000 when absent. */
  readonly handoverMs: number;
  /** From the stop of a process until its successor joins. 20,000 when absent. */
  readonly restartMs: number;
  /** How long the group waits for a member that is gone without a word. 45,000 when absent. */
  readonly sessionTimeoutMs: number;
}

export const DEFAULT_TIMING: Timing = {
  rebalanceMs: 3_000,
  handoverMs: 5_000,
  restartMs: 20_000,
  sessionTimeoutMs: 45_000,
};
