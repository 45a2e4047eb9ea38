import type { GroupSpec, MemberSpec } from '@allot/model';
import { invalidRequest } from '@allot/model';

/** More threads than any consumer of the first generation ran; a larger number is a mistake. */
const MAX_STREAMS = 10_000;

/** Kafka versions whose consumers had threads: those that kept their groups in ZooKeeper. */
export const FIRST_GENERATION = { first: '0.8', last: '1.1' };

/** Kafka's name of a consumer's thread, `c1-0`. */
export function threadId(member: string, thread: number): string {
  return `${member}-${thread}`;
}

/**
 * The group whose members are the threads of a group's consumers, which is what owned partitions in the first generation.
 * A thread takes part in a topic when its number is below the consumer's number of streams for it, so that consumer c1 with
 * two streams of t and one of u gives thread c1-0 with t and u and thread c1-1 with t. Statistics, diffs and checks of a
 * result keyed by threads want this group. Racks, instance ids and owned partitions mean nothing here and are left out.
 *
 * @throws INVALID_REQUEST when a number of streams is not a whole number from 1 to 10,000
 */
export function threadGroup({ topics, members }: GroupSpec): GroupSpec {
  return { topics, members: members.flatMap(threadsOf) };
}

function threadsOf(member: MemberSpec): MemberSpec[] {
  const counts = member.topics.map((topic) => streamsOf(member, topic));
  const most = counts.reduce((a, b) => Math.max(a, b), typeof member.streams === 'object' ? 1 : streamsOf(member));
  return Array.from({ length: most }, (_, thread) => ({
    id: threadId(member.id, thread),
    topics: member.topics.filter((_topic, place) => thread < counts[place]!),
  }));
}

/** A consumer's number of threads for a topic; 1 unless it says otherwise. */
export function streamsOf({ id, streams }: MemberSpec, topic = ''): number {
  const count = typeof streams === 'object' ? (streams.get(topic) ?? 1) : (streams ?? 1);
  if (Number.isInteger(count) && count >= 1 && count <= MAX_STREAMS) return count;
  const where = typeof streams === 'object' ? ` for topic "${topic}"` : '';
  throw invalidRequest(
    `Member "${id}" has ${count} streams${where}; a whole number from 1 to ${MAX_STREAMS} is needed.`,
  );
}
