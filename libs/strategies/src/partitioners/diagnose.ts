import { AllotError, invalidRequest } from '@allot/model';
import type { Partitioner } from './partitioner.js';
import { listPartitioners } from './partitioner-registry.js';
import { requireExplicitPartition, requirePartitionCount } from './topic-checks.js';

/** A key that was seen on a partition of a topic with so many partitions. */
export interface Observation {
  readonly key: Uint8Array;
  readonly partition: number;
  readonly partitions: number;
}

/** Partitioners that hash keys alike, and where they would put the observed ones. */
export interface KeyFamily {
  readonly partitioners: readonly string[];
  readonly clients: readonly string[];
  /** The partition of every observed key, in order; undefined where the family has no hash for the key. */
  readonly predicted: readonly (number | undefined)[];
  /** Whether every observation is explained. */
  readonly matches: boolean;
}

export interface Diagnosis {
  /** All families, those that match first. */
  readonly families: readonly KeyFamily[];
  /** The chance that a family matches that has nothing to do with the records: 1/n for every observation on n partitions. */
  readonly chance: number;
}

/**
 * Which clients may have written records, from where their keys were seen. One observation on n partitions lets an
 * innocent family through once in n times, so give several: `chance` says how much a match means.
 */
export function diagnose(observations: readonly Observation[]): Diagnosis {
  if (observations.length === 0) throw invalidRequest('Give at least one observed key, its partition and the count.');
  for (const { partition, partitions } of observations) {
    requirePartitionCount(partitions);
    requireExplicitPartition(partition, partitions);
  }
  const families = [...keyFamilies()].map(([hash, members]) => {
    const predicted = observations.map(({ key, partitions }) => predict(hash, key, partitions));
    return {
      partitioners: members.map(({ name }) => name),
      clients: [...new Set(members.map(({ client }) => client))],
      predicted,
      matches: observations.every(({ partition }, i) => partition === predicted[i]),
    };
  });
  return {
    families: [...families.filter(({ matches }) => matches), ...families.filter(({ matches }) => !matches)],
    chance: observations.reduce((chance, { partitions }) => chance / partitions, 1),
  };
}

type KeyHash = NonNullable<Partitioner['partitionForKey']>;

/** Partitioners by the function that places their keys. */
function keyFamilies(): Map<KeyHash, Partitioner[]> {
  const families = new Map<KeyHash, Partitioner[]>();
  for (const partitioner of listPartitioners()) {
    const hash = partitioner.partitionForKey;
    if (hash !== undefined) families.set(hash, [...(families.get(hash) ?? []), partitioner]);
  }
  return families;
}

function predict(hash: KeyHash, key: Uint8Array, partitions: number): number | undefined {
  try {
    return hash(key, partitions);
  } catch (error) {
    if (error instanceof AllotError) return undefined;
    throw error;
  }
}
