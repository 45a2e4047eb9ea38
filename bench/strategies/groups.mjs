/**
 * Groups of the grid: members x partitions per member x topics x subscriptions x racks x what has happened before.
 *
 * HOMOGENEOUS: everybody subscribes to everything. HETEROGENEOUS: five disjoint buckets of topics and members. mixed: each
 * member to its own random half of the topics. Lists that are equal are one array, as a coordinator holds them.
 */

/** A cell as text: `range 10000/10/1000 HOMOGENEOUS FULL`. */
export function cellName({ assignor, members, ratio, topics, subscriptions, racks, before }) {
  return `${assignor} ${members}/${ratio}/${topics} ${subscriptions}${racks ? ' racks' : ''} ${before}`;
}

const RACKS = 3;
const BUCKETS = 5;

/** xorshift32, so that every run measures the same groups. */
function numbers(seed) {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

export function firstGroup({ members, ratio, topics, subscriptions, racks }) {
  const total = members * ratio;
  const random = numbers(0x5eed);
  const topicSpecs = Array.from({ length: topics }, (_, i) => {
    const partitions = Math.floor(total / topics) + (i < total % topics ? 1 : 0);
    const rackOf = (p, replica) => `rack-${(p + replica) % RACKS}`;
    // Two replicas in three racks, so that racks matter to every partition.
    const spread = Array.from({ length: racks ? partitions : 0 }, (_, p) => [rackOf(p, 0), rackOf(p, 1)]);
    return { name: `topic-${String(i).padStart(4, '0')}`, partitions, ...(racks ? { racks: spread } : {}) };
  });
  const names = topicSpecs.map(({ name }) => name);
  const buckets = Array.from({ length: BUCKETS }, (_, b) => names.filter((_, i) => i % BUCKETS === b));
  const listOf = {
    HOMOGENEOUS: () => names,
    HETEROGENEOUS: (i) => buckets[i % BUCKETS],
    mixed: () => names.filter(() => random() < 0.5),
  }[subscriptions];
  return {
    topics: topicSpecs,
    members: Array.from({ length: members }, (_, i) => ({
      id: `consumer-orders-${i}-${Math.floor(random() * 2 ** 32).toString(16)}`,
      topics: listOf(i),
      ...(racks ? { rack: `rack-${i % RACKS}` } : {}),
    })),
  };
}

/** INCREMENTAL: all members but the last had a round of their own, and the last one joins. */
export function groupOf(cell, assignor) {
  const group = firstGroup(cell);
  if (cell.before === 'FULL') return group;
  const { target } = assignor.assign({ ...group, members: group.members.slice(0, -1) });
  return {
    ...group,
    members: group.members.map((member) =>
      target.has(member.id) ? { ...member, owned: target.get(member.id), generation: 1 } : member,
    ),
  };
}
