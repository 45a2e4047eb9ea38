import { type CatalogStore, GroupCoordinator, type Origin, type Written, type Topic } from '@allot/coordinator';
import { type ImportResult, type ImportedGroup, parseImport } from '@allot/interop';
import { AllotError } from '@allot/model';
import { Inject, Injectable } from '@nestjs/common';
import { AssignorRegistry } from '../assignors/assignor-registry.js';
import { LIMITS } from '../config/limits.js';
import { CatalogChanges } from '../groups/catalog-changes.js';
import { CATALOG_STORE } from '../ports.js';
import type { ImportedGroupReport, ImportedTopicReport, ImportReport, ImportTotals } from './import.contract.js';
import { decideGroup, describeGroup } from './imported-groups.js';
import { decideTopic, inferTopics, type TopicDecision } from './imported-topics.js';

export interface ImportChoice {
  /** The group of tables that do not name it. */
  readonly groupId: string | undefined;
  readonly dryRun: boolean;
  readonly origin: Origin;
}

/** Brings what a paste of Kafka's tools describes into a cluster: topics in one transaction, then each group. */
@Injectable()
export class ClusterImporter {
  constructor(
    @Inject(CATALOG_STORE) private readonly catalog: CatalogStore,
    private readonly coordinator: GroupCoordinator,
    private readonly changes: CatalogChanges,
    private readonly assignors: AssignorRegistry,
  ) {}

  /** @throws AllotError IMPORT_FAILED, with the account of every line, when nothing was understood. */
  async import(cluster: string, text: string, choice: ImportChoice): Promise<ImportReport> {
    const result = parseImport(text, choice.groupId === undefined ? {} : { groupId: choice.groupId });
    const totals = totalsOf(result);
    const { formats, warnings, lines } = result;
    if (totals.understood === 0) {
      throw new AllotError('IMPORT_FAILED', 'Nothing in the text was understood; `lines` says why, line by line.', {
        action: 'fix-request',
        facts: { totals, lines },
      });
    }
    const topics = await this.#importTopics(cluster, result, choice);
    const groups: ImportedGroupReport[] = [];
    for (const group of result.groups) groups.push(await this.#importGroup(cluster, group, choice));
    return { dryRun: choice.dryRun, formats, totals, topics, groups, warnings, lines };
  }

  async #importTopics(cluster: string, result: ImportResult, choice: ImportChoice): Promise<ImportedTopicReport[]> {
    const known = await this.#topicIds(cluster);
    const described = new Set(result.topics.map(({ name }) => name));
    const decisions = [
      ...result.topics.map((topic) => decideTopic(topic, known.get(topic.name))),
      ...inferTopics(result.groups, described).filter(({ name }) => !known.has(name)),
    ];
    const wanted = decisions.flatMap((decision) => ('change' in decision ? [decision.change] : []));
    const written = await this.catalog.putTopics(cluster, wanted, choice.dryRun ? { dryRun: true } : {});
    if (!choice.dryRun && written.some(({ outcome }) => outcome !== 'unchanged')) this.changes.announce();
    const byName = new Map(written.map((topic) => [topic.value.name, topic]));
    return decisions.map((decision) => describeTopic(decision, byName.get(decision.name)));
  }

  /** Name -> id of every topic that the cluster has. */
  async #topicIds(cluster: string): Promise<ReadonlyMap<string, string>> {
    const ids = new Map<string, string>();
    for (let after: string | undefined, more = true; more;) {
      const page = await this.catalog.listTopics(cluster, {
        limit: LIMITS.pageSize,
        ...(after === undefined ? {} : { after }),
      });
      for (const { name, id } of page.items) ids.set(name, id);
      ({ more } = page);
      after = page.items.at(-1)?.name;
    }
    return ids;
  }

  async #importGroup(
    cluster: string,
    group: ImportedGroup,
    { dryRun, origin }: ImportChoice,
  ): Promise<ImportedGroupReport> {
    const decision = decideGroup(group, this.assignors.find);
    const figures = describeGroup(group);
    if ('reason' in decision) return { ...figures, outcome: 'skipped', reason: decision.reason };
    const ref = { cluster, groupId: decision.groupId };
    try {
      const outcome = await this.coordinator.importGroup(ref, decision.snapshot, origin, dryRun ? { dryRun } : {});
      return { ...figures, outcome };
    } catch (error) {
      // One group that is served here does not keep the others out.
      if (!(error instanceof AllotError) || error.code !== 'GROUP_IS_LIVE') throw error;
      return { ...figures, outcome: 'skipped', reason: error.message };
    }
  }
}

function describeTopic(decision: TopicDecision, written: Written<Topic> | undefined): ImportedTopicReport {
  const { name, reason } = decision;
  if (written === undefined) {
    const partitions = 'partitions' in decision ? decision.partitions : undefined;
    return { name, outcome: 'skipped', ...(partitions === undefined ? {} : { partitions }), reason: reason ?? '' };
  }
  const { value, outcome } = written;
  return { name, partitions: value.partitions, outcome, ...(reason === undefined ? {} : { reason }) };
}

function totalsOf({ lines, topics, groups, reassignments }: ImportResult): ImportTotals {
  const count = (status: string) => lines.reduce((sum, line) => sum + (line.status === status ? 1 : 0), 0);
  return {
    lines: lines.length,
    understood: count('understood'),
    ignored: count('ignored'),
    notUnderstood: count('not-understood'),
    topics: topics.length,
    groups: groups.length,
    members: groups.reduce((sum, { members }) => sum + members.length, 0),
    reassignments: reassignments.length,
  };
}
