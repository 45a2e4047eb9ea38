import { assignmentToJson, type GroupSpec, type MemberSpec, type TopicSpec } from '@allot/model';
import type { GroupJson, MemberJson } from '@allot/strategies';

/** The group as a module with an assignor of one's own gets it, in JSON. Only what an assignor may read is in it. */
export function groupText({ topics, members }: GroupSpec): string {
  return JSON.stringify({ topics: topics.map(topicJson), members: members.map(memberJson) } satisfies GroupJson);
}

/**
 * The longest text that a legal answer to this group can have. An answer repeats each member's id and topics, which are in the
 * text of the group too, and has every partition once.
 */
export function longestAnswer(text: string, { topics }: GroupSpec): number {
  const digits = 8;
  return 2 * text.length + digits * topics.reduce((sum, { partitions }) => sum + partitions, 0);
}

// Fields that are undefined do not come out.
function topicJson({ name, id, partitions, racks, weights }: TopicSpec) {
  return { name, id, partitions, racks, weights } as TopicSpec;
}

function memberJson({ id, instanceId, rack, topics, owned, generation, weight, streams }: MemberSpec) {
  return {
    ...{ id, instanceId, rack, topics, generation, weight },
    owned: owned && assignmentToJson(owned),
    streams: typeof streams === 'object' ? Object.fromEntries(streams) : streams,
  } as MemberJson;
}
