import {
  membersView,
  offsetsView,
  topicsDescribe,
  type MemberLine,
  type OffsetLine,
} from '../../libs/interop/test/tool-layouts.js';

export interface ClusterSize {
  readonly topics: number;
  readonly partitionsPerTopic: number;
  readonly groups: number;
}

export type OwnedPartitions = ReadonlyMap<string, readonly number[]>;

/** Group -> member -> what it owns. */
export type ClusterGroups = ReadonlyMap<string, ReadonlyMap<string, OwnedPartitions>>;

/** Of the size people have. */
export const USUAL_CLUSTER: ClusterSize = { topics: 500, partitionsPerTopic: 40, groups: 300 };

/** Groups of two to nine members on one to four topics, whose partitions lie with their members as chance would have it. */
export function clusterGroups({ topics, partitionsPerTopic, groups }: ClusterSize): ClusterGroups {
  const random = generator(20_000);
  const all = new Map<string, Map<string, Map<string, number[]>>>();
  for (let g = 0; g < groups; g++) {
    const members = Array.from({ length: 2 + random(8) }, (_, i) => {
      return [
        `service-${g}-${i}-${hex(random, 8)}-${hex(random, 4)}-4${hex(random, 3)}-8${hex(random, 3)}-${hex(random, 12)}`,
        new Map<string, number[]>(),
      ] as const;
    });
    const read = new Set(Array.from({ length: 1 + random(4) }, () => `topic-${random(topics)}`));
    for (const topic of read) {
      for (let partition = 0; partition < partitionsPerTopic; partition++) {
        const [, owned] = members[random(members.length)]!;
        owned.set(topic, [...(owned.get(topic) ?? []), partition]);
      }
    }
    all.set(`group-${g}`, new Map(members));
  }
  return all;
}

/** What Kafka's tools would print of it: topics, then offsets, members and state of every group. */
export function clusterPaste({ topics, partitionsPerTopic }: ClusterSize, groups: ClusterGroups): string {
  const described = topicsDescribe(
    '4.0',
    Array.from({ length: topics }, (_, t) => ({
      name: `topic-${t}`,
      partitions: Array.from({ length: partitionsPerTopic }, (_, p) => {
        const replicas = [0, 1, 2].map((i) => 1 + ((t + p + i) % 9));
        return { leader: replicas[0], replicas, isr: replicas };
      }),
    })),
  );
  return described + [...groups].map(([group, members]) => groupPaste(group, members)).join('');
}

/** One group's offsets view and members view, as Kafka 3.7 prints them. */
export function groupPaste(group: string, members: ReadonlyMap<string, OwnedPartitions>): string {
  const offsets: OffsetLine[] = [];
  const lines: MemberLine[] = [];
  for (const [member, assignment] of members) {
    const where = { member, host: '/10.0.0.1', client: member.replace(/-[0-9a-f-]{36}$/, '') };
    lines.push({ group, ...where, assignment });
    for (const [topic, partitions] of assignment) {
      for (const partition of partitions)
        offsets.push({ group, topic, partition, current: 40, end: 42, lag: 2, ...where });
    }
  }
  return offsetsView('current', offsets) + membersView('2.3', lines, { verbose: true, instances: false });
}

function hex(random: (below: number) => number, digits: number): string {
  return Array.from({ length: digits }, () => random(16).toString(16)).join('');
}

/** Numbers from 0 up to a limit, the same ones in every run (a linear congruential generator, Numerical Recipes' constants). */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
