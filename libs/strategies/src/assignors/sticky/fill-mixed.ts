import { NOBODY } from '../owners.js';
import type { RackView } from '../racks.js';
import { NO_RACK } from '../racks.js';
import type { Contests } from './contests.js';
import { LeastLoaded } from './least-loaded.js';
import type { MixedState } from './mixed-subscriptions.js';

/** Gives every free partition to the subscriber with the fewest partitions. */
export function assignFree(state: MixedState, contests: Contests): void {
  const { owners, counts } = state;
  for (const topic of state.topicOrder) {
    let least: LeastLoaded | undefined;
    forEachFree(state, topic, (partition) => {
      least ??= contests.at(topic);
      const { member } = least;
      owners[partition] = member;
      counts[member]!++;
      least.update(member);
    });
  }
}

/**
 * The same among members near the partition: those in a rack that has a replica and those without a rack. Partitions without
 * a near subscriber stay free. A contest a topic and rack.
 */
export function assignFreeWithinRacks(state: MixedState, { rackOf, start, racks, end }: RackView): void {
  const { subscribers, owners, counts } = state;
  const leafOf = new Int32Array(counts.length);
  const contests = Array.from({ length: end }, () => ({
    members: [] as number[],
    least: new LeastLoaded(counts, leafOf),
  }));
  for (const topic of state.topicOrder) {
    let begun = false;
    forEachFree(state, topic, (partition) => {
      if (!begun) {
        for (const contest of contests) contest.members = [];
        for (const member of subscribers[topic]!) contests[rackOf[member]!]!.members.push(member);
        for (const { members, least } of contests) least.reset(members);
      }
      begun = true;
      let best = contests[NO_RACK]!.least.member;
      for (let i = start[partition]!; i < start[partition + 1]!; i++) {
        const member = contests[racks[i]!]!.least.member;
        if (member === NOBODY) continue;
        const lead = best === NOBODY ? -1 : counts[member]! - counts[best]! || member - best;
        if (lead < 0) best = member;
      }
      if (best === NOBODY) return;
      owners[partition] = best;
      counts[best]!++;
      contests[rackOf[best]!]!.least.update(best);
    });
  }
}

function forEachFree({ group, owners }: MixedState, topic: number, visit: (partition: number) => void): void {
  const end = group.partitionOffset[topic + 1]!;
  for (let partition = group.partitionOffset[topic]!; partition < end; partition++) {
    if (owners[partition] === NOBODY) visit(partition);
  }
}
