import type * as coordinator from '@allot/coordinator';
import type { PartitionDetail } from '@allot/coordinator';
import { invalidRequest } from '@allot/model';
import type { Topic, TopicChange } from './topic.contract.js';

/**
 * The API writes a topic's partitions as columns (one list of leaders, one of racks), which is short and is the form of
 * plans; the store keeps rows. These two functions translate.
 */

export function showTopic({
  name,
  id,
  partitions,
  details,
  racks,
  weights,
  revision,
  createdAt,
}: coordinator.Topic): Topic {
  return {
    name,
    id,
    partitions,
    ...(details === undefined ? {} : showDetails(details)),
    ...(racks === undefined ? {} : { racks: racks.map((list) => [...list]) }),
    ...(weights === undefined ? {} : { weights: [...weights] }),
    revision,
    createdAt: new Date(createdAt),
  };
}

function showDetails(details: readonly PartitionDetail[]): Partial<Topic> {
  const known = (has: (detail: PartitionDetail) => boolean) => details.some(has);
  return {
    ...(known(({ replicas }) => replicas.length > 0) ? { replicas: details.map(({ replicas }) => [...replicas]) } : {}),
    ...(known(({ leader }) => leader !== undefined) ? { leaders: details.map(({ leader }) => leader ?? null) } : {}),
    ...(known(({ isr }) => isr !== undefined) ? { isr: details.map(({ isr = [] }) => [...isr]) } : {}),
    ...(known(({ racks }) => racks !== undefined) ? { racks: details.map(({ racks = [] }) => [...racks]) } : {}),
    ...(known(({ weight }) => weight !== undefined) ? { weights: details.map(({ weight }) => weight ?? 1) } : {}),
  };
}

const COLUMNS = ['replicas', 'leaders', 'isr', 'racks', 'weights'] as const;

/** @throws AllotError INVALID_REQUEST when the lists describe different numbers of partitions. */
export function readTopicChange(change: TopicChange): coordinator.TopicChange {
  const given = COLUMNS.filter((column) => change[column] !== undefined);
  const count = change.partitions ?? (given[0] === undefined ? undefined : change[given[0]]!.length);
  for (const column of given) {
    const length = change[column]!.length;
    if (length === count) continue;
    const detail = `has ${length} entries for ${count} partitions; give one entry for each partition`;
    throw invalidRequest(`/${column} ${detail}.`, [{ pointer: `/${column}`, detail }]);
  }
  return {
    ...(change.id === undefined ? {} : { id: change.id }),
    ...(count === undefined ? {} : { partitions: count }),
    ...(given.length === 0 ? {} : { details: Array.from({ length: count! }, (_, i) => detailOf(change, i)) }),
  };
}

function detailOf({ replicas, leaders, isr, racks, weights }: TopicChange, partition: number): PartitionDetail {
  const leader = leaders?.[partition];
  return {
    ...(leader === undefined || leader === null ? {} : { leader }),
    replicas: replicas?.[partition] ?? [],
    ...(isr === undefined ? {} : { isr: isr[partition]! }),
    ...(racks === undefined ? {} : { racks: racks[partition]! }),
    ...(weights === undefined ? {} : { weight: weights[partition]! }),
  };
}
