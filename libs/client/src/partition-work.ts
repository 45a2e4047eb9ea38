import type { Member } from './member.js';
import type { OwnershipAnswer } from './member-calls.js';
import { keyOf, listPartitions, type TopicPartition } from './partitions.js';

/** One partition to work on. */
export interface Work extends TopicPartition {
  /** Aborts when the work shall end: soon when it is given up, at once when it is lost. */
  readonly signal: AbortSignal;
  /** The fencing token: see `Member.epochOf`. */
  readonly epoch: number;
  /** Whether the member holds it still, as of this work: one of before cannot pass for one of later. */
  readonly verify: (signal?: AbortSignal) => Promise<OwnershipAnswer>;
}

/**
 * Runs `work` for each partition that the member holds, from when it receives it. When the partition has to be given up the work's signal
 * aborts, and the service hears of it only when the work has ended; so there is nothing to forget. What `work` throws is an `error` of the
 * member; the partition then lies idle.
 */
export function forEachPartition(member: Member, work: (partition: Work) => Promise<void>): Member {
  const running = new Map<string, Promise<void>>();
  const ends = (partitions: ReadonlyMap<string, readonly number[]>) =>
    Promise.all(listPartitions(partitions).map((partition) => running.get(keyOf(partition))));
  return member
    .on('assigned', ({ partitions }) => {
      for (const partition of listPartitions(partitions)) {
        const key = keyOf(partition);
        const ended = begin(member, partition, work).catch((error: unknown) => member.report(error));
        running.set(key, ended);
        void ended.then(() => {
          if (running.get(key) === ended) running.delete(key);
        });
      }
    })
    .on('revoked', ({ partitions }) => ends(partitions))
    .on('lost', ({ partitions }) => ends(partitions));
}

async function begin(member: Member, partition: TopicPartition, work: (work: Work) => Promise<void>): Promise<void> {
  const signal = member.signalOf(partition);
  const epoch = member.epochOf(partition);
  if (signal === undefined || epoch === undefined || signal.aborted) return;
  const verify = (stop?: AbortSignal) =>
    member.verify([partition], { memberEpoch: epoch, ...(stop !== undefined && { signal: stop }) });
  try {
    await work({ ...partition, signal, epoch, verify });
  } catch (error) {
    // Work that ends because it shall may say so by throwing.
    if (!signal.aborted) throw error;
  }
}
