import type { ChangedGroup } from './apply-changes.js';
import type { ReplicatedTopic } from './brokers.js';
import type { PlanWarning } from './plan-types.js';
import { some } from './some.js';

/** What a person should know of changes of brokers. */
export function brokerWarnings(
  before: readonly ReplicatedTopic[],
  { topics, unknownReplicas }: ChangedGroup,
): PlanWarning[] {
  const warnings: PlanWarning[] = [];
  if (unknownReplicas.length > 0) {
    const message = `On which brokers the replicas of ${some(unknownReplicas)} are is not known; the changes of brokers leave the racks there as they are.`;
    warnings.push({
      code: 'unknown-replicas',
      severity: 'warning',
      message,
      count: unknownReplicas.length,
      topics: unknownReplicas,
    });
  }
  const replicasBefore = new Map(before.map(({ name, replicas }) => [name, replicas]));
  const lost = topics.flatMap(({ name, replicas }) =>
    (replicas ?? []).flatMap((list, partition) =>
      list.length === 0 && (replicasBefore.get(name)?.[partition]?.length ?? 0) > 0 ? [`${name}-${partition}`] : [],
    ),
  );
  if (lost.length > 0) {
    const message = `No replica is left of ${some(lost)}: nobody can read there until the partitions have new ones.`;
    warnings.push({ code: 'no-replica-left', severity: 'warning', message, count: lost.length });
  }
  return warnings;
}
