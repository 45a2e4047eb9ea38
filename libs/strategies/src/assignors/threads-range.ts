import type { GroupSpec } from '@allot/model';

import type { AssignmentResult, AssignOptions, Assignor } from './assignor.js';
import { indexClientGroup, subscribersByTopic } from './client-group.js';
import { requireKafka } from './kafka-version.js';
import { ownersToAssignment } from './owners.js';
import { cutTopics } from './server-range.js';
import { FIRST_GENERATION, threadGroup } from './threads.js';

/**
 * `threads-range`: `range` of the first-generation consumers. A consumer runs `streams` threads for a topic, and threads own
 * partitions, so the result is keyed by thread id (`c1-0`, `c1-1`), with an entry for every thread.
 *
 * Guarantees, the first being the strongest:
 * 1. Every partition of a subscribed topic belongs to exactly one thread of a consumer that subscribes to the topic.
 * 2. Within a topic the threads' counts differ by at most one; the first ones get one more, topic after topic.
 * 3. Threads stand in the order of their ids as text, so c1-10 comes before c1-2.
 *
 * Ten partitions for c1 with one thread and c2 with two: c1-0 0-3, c2-0 4-6, c2-1 7-9.
 *
 * Costs O(threads log threads + partitions + subscriptions of threads). The rule is that of kafka.consumer.RangeAssignor.
 */
export const threadsRangeAssignor: Assignor = {
  name: 'threads-range',
  aliases: ['kafka.consumer.RangeAssignor'],
  summary:
    'Range of the first-generation consumers with threads: cuts each topic into contiguous runs, one per thread in the order of thread ids. Results are keyed by thread.',
  kafkaVersions: '0.8 to 1.1, consumers with ZooKeeper',
  sticky: false,
  owners: 'threads',
  assign: assignThreadsRange,
};

function assignThreadsRange(spec: GroupSpec, options: AssignOptions = {}): AssignmentResult {
  requireKafka(options.kafkaVersion, 'threads-range', FIRST_GENERATION);
  const group = indexClientGroup(threadGroup(spec));
  const byId = Int32Array.from(group.members.keys());
  const owners = cutTopics(group.partitionOffset, subscribersByTopic(group, byId));
  const assignment = ownersToAssignment(group, owners);
  return { assignment, target: assignment, warnings: group.warnings };
}
