import type { GroupAssignment, GroupSpec } from '@allot/model';
import { compareText } from '@allot/model';
import type { Assignor } from '@allot/strategies';

/**
 * A small sticky rule of its own, for tests of the planner that must not depend on Kafka's: members keep what they own up to
 * the even share, and what is left goes to the member with the least, by id. Only for equal subscriptions is it balanced.
 */
export const stickyStandIn: Assignor = {
  name: 'stand-in',
  aliases: [],
  summary: 'Keeps what members own up to the even share.',
  kafkaVersions: '',
  sticky: true,
  assign(group: GroupSpec) {
    const target = assign(group);
    return { assignment: target, target, warnings: [] };
  },
};

function assign({ topics, members }: GroupSpec): GroupAssignment {
  const owned = new Map(members.map(({ id }) => [id, new Map<string, number[]>()]));
  const load = new Map(members.map(({ id }) => [id, 0]));
  const give = (id: string, topic: string, partition: number): void => {
    const partitions = owned.get(id)!.get(topic) ?? [];
    owned.get(id)!.set(
      topic,
      [...partitions, partition].sort((a, b) => a - b),
    );
    load.set(id, load.get(id)! + 1);
  };
  const wanted = topics.filter(({ name }) => members.some((member) => member.topics.includes(name)));
  const total = wanted.reduce((sum, { partitions }) => sum + partitions, 0);
  const [share, extra] = [Math.floor(total / members.length), total % members.length];
  let above = 0;
  const free: { topic: string; partition: number }[] = [];
  for (const topic of wanted) {
    for (let partition = 0; partition < topic.partitions; partition++) {
      const keeper = members.find(({ id, topics: names, owned: claims }) => {
        if (!claims?.get(topic.name)?.includes(partition) || !names.includes(topic.name)) return false;
        return load.get(id)! < share || (load.get(id) === share && above < extra);
      });
      if (keeper === undefined) free.push({ topic: topic.name, partition });
      else {
        if (load.get(keeper.id) === share) above++;
        give(keeper.id, topic.name, partition);
      }
    }
  }
  for (const { topic, partition } of free) {
    const candidates = members.filter(({ topics: names }) => names.includes(topic)).map(({ id }) => id);
    give(candidates.sort((a, b) => load.get(a)! - load.get(b)! || compareText(a, b))[0]!, topic, partition);
  }
  return owned;
}
