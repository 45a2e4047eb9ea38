import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  importedGroupSpec,
  parseImport,
  parseReassignmentJson,
  printReassignmentJson,
  type ImportResult,
} from '@allot/interop';
import { assignmentFromJson, countPartitions, findViolations, type GroupAssignment } from '@allot/model';
import { plan, planToCsv, planToJson, planToMarkdown } from '@allot/planner';
import { reassign, rollbackOf } from '@allot/strategies';
import { readCsv } from '../../libs/planner/test/support/read-csv.js';
import {
  USUAL_CLUSTER,
  clusterGroups,
  clusterPaste,
  groupPaste,
  type ClusterGroups,
} from '../support/cluster-paste.js';

/** 500 topics, 20,000 partitions, 300 groups: what comes in as text goes out as text, and nothing is lost on the way. */
describe('import, plan and export at the size people have', () => {
  const times: string[] = [];
  let groups: ClusterGroups;
  let text: string;
  let imported: ImportResult;

  beforeAll(() => {
    groups = clusterGroups(USUAL_CLUSTER);
    text = clusterPaste(USUAL_CLUSTER, groups);
    imported = timed(`import of ${(text.length / 1e6).toFixed(1)} MB`, () => parseImport(text));
  });

  it('reads every line, and every group as it is', () => {
    expect(imported.topics.reduce((sum, topic) => sum + topic.partitions.length, 0)).toBe(20_000);
    expect(imported.groups).toHaveLength(300);
    expect(imported.lines.filter(({ status }) => status === 'not-understood')).toEqual([]);
    for (const group of imported.groups) {
      const read = new Map(group.members.map(({ memberId, assignment }) => [memberId, assignment]));
      expect(read).toEqual(groups.get(group.groupId!));
    }
  });

  it('plans every group and writes it out; read again, the assignments are the same', () => {
    const specs = timed('300 groups as specs', () =>
      imported.groups.map((group) => importedGroupSpec(imported, group).spec),
    );
    const plans = timed('300 plans', () =>
      specs.map((spec, i) => {
        const changes = i % 2 === 0 ? [{ addMembers: 1 }] : [{ removeMembers: 1 }];
        return plan({ ...spec, assignor: 'cooperative-sticky', changes });
      }),
    );
    const documents = timed('300 plans as CSV', () => plans.map((result) => planToCsv(planToJson(result))));
    timed('300 plans as Markdown', () => plans.map((result) => planToMarkdown(planToJson(result))));
    let partitions = 0;
    for (const [i, result] of plans.entries()) {
      expect(findViolations(result.after, result.target)).toEqual([]);
      expect(ownersIn(documents[i]!, 'from')).toEqual(withoutIdle(result.current));
      expect(ownersIn(documents[i]!, 'to')).toEqual(withoutIdle(result.target));
      partitions += [...result.target.values()].reduce((sum, owned) => sum + countPartitions(owned), 0);
    }
    expect(partitions).toBeGreaterThan(20_000);
    // What was applied is described by Kafka's tools again, and read again.
    const applied = new Map(imported.groups.map((group, i) => [group.groupId!, plans[i]!.target]));
    const again = timed('import of the groups after', () =>
      parseImport([...applied].map(([id, target]) => groupPaste(id, target)).join('')),
    );
    for (const group of again.groups) {
      const read = new Map(group.members.map(({ memberId, assignment }) => [memberId, assignment]));
      expect(read).toEqual(new Map([...applied.get(group.groupId!)!].map(([id, owned]) => [id, new Map(owned)])));
    }
  });

  it('moves replicas for another broker, and back', () => {
    const before = imported.topics.flatMap(({ name, partitions }) =>
      partitions.map(({ partition, replicas }) => ({ topic: name, partition, replicas })),
    );
    const brokers = Array.from({ length: 10 }, (_, i) => ({ id: i + 1 }));
    const { changed, moves } = timed('replicas of 20,000 partitions', () => reassign({ partitions: before, brokers }));
    expect(moves).toBe(6_000);
    const [file, back] = [changed, rollbackOf(before, changed)].map((partitions) => printReassignmentJson(partitions));
    const moved = timed('reassignment file, read again', () => parseReassignmentJson(file!)).reassignments[0]!;
    expect(moved.partitions).toEqual(changed);
    const old = new Map(before.map(({ topic, partition, replicas }) => [`${topic}-${partition}`, replicas]));
    const restored = parseReassignmentJson(back!).reassignments[0]!.partitions;
    expect(restored.map(({ topic, partition }) => old.get(`${topic}-${partition}`))).toEqual(
      restored.map(({ replicas }) => replicas),
    );
  });

  it('says what it took', () => {
    const memory = Math.round(process.memoryUsage().rss / 2 ** 20);
    process.stdout.write(
      `${times.map((line) => `    ${line}\n`).join('')}    resident memory of the process: ${memory} MiB\n`,
    );
    expect(times).toHaveLength(8);
  });

  function timed<T>(what: string, work: () => T): T {
    const started = process.cpuUsage();
    const result = work();
    const { user, system } = process.cpuUsage(started);
    times.push(`${what}: ${((user + system) / 1e6).toFixed(2)} s of CPU time`);
    return result;
  }
});

/** The assignment in a column of a plan's CSV. */
function ownersIn(csv: string, column: 'from' | 'to'): Map<string, unknown> {
  const owners = new Map<string, Record<string, number[]>>();
  for (const [topic, partition, from, to] of readCsv(csv).slice(1)) {
    const owner = column === 'from' ? from! : to!;
    if (owner === '') continue;
    const owned = owners.get(owner) ?? {};
    (owned[topic!] ??= []).push(Number(partition));
    owners.set(owner, owned);
  }
  return new Map([...owners].map(([owner, owned]) => [owner, assignmentFromJson(owned)]));
}

/** A file by partition does not show who has none. */
function withoutIdle(group: GroupAssignment): GroupAssignment {
  return new Map([...group].filter(([, owned]) => owned.size > 0));
}
