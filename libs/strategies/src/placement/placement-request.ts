import { AllotError, invalidRequest } from '@allot/model';
import type { BrokerSpec, PlacementRequest, PlacementResult, PlacementWarning } from './replica-placer.js';

/** Refuses ids that are not broker ids and ids that occur twice. */
export function requireBrokers(brokers: readonly BrokerSpec[]): void {
  const seen = new Set<number>();
  for (const { id } of brokers) {
    if (!Number.isInteger(id) || id < 0) throw invalidRequest(`${id} is not a broker id: give an integer from 0 up.`);
    if (seen.has(id)) throw invalidRequest(`Broker ${id} is listed twice: list every broker once.`);
    seen.add(id);
  }
}

/** The brokers of a request by ascending id. */
export function sortedBrokers(brokers: readonly BrokerSpec[]): BrokerSpec[] {
  requireBrokers(brokers);
  return [...brokers].sort((a, b) => a.id - b.id);
}

/** The brokers that are in service. */
export function unfencedBrokers(brokers: readonly BrokerSpec[]): BrokerSpec[] {
  return brokers.filter((broker) => broker.fenced !== true);
}

/** Refuses counts that Kafka refuses, with Kafka's error codes. */
export function requireCounts({ partitions, replicationFactor }: PlacementRequest, available: number): void {
  if (!Number.isInteger(partitions) || partitions <= 0) {
    throw refusal('INVALID_PARTITIONS', `${partitions} partitions cannot be placed: the number must be larger than 0.`);
  }
  requireReplicationFactor(replicationFactor);
  if (replicationFactor > available) {
    throw refusal(
      'INVALID_REPLICATION_FACTOR',
      `Replication factor ${replicationFactor} is larger than the ${available} available broker(s): ` +
        'add brokers or ask for fewer replicas.',
    );
  }
}

export function requireReplicationFactor(replicationFactor: number): void {
  if (Number.isInteger(replicationFactor) && replicationFactor > 0) return;
  throw refusal(
    'INVALID_REPLICATION_FACTOR',
    `Replication factor ${replicationFactor} is not possible: it must be larger than 0.`,
  );
}

export function refusal(code: string, message: string): AllotError {
  return new AllotError(code, message, { action: 'fix-request' });
}

/** The number of the first new partition. Kafka passes -1 for a topic that is new. */
export function firstPartition({ startPartitionId = 0 }: PlacementRequest): number {
  if (!Number.isInteger(startPartitionId)) throw invalidRequest(`${startPartitionId} is not a partition number.`);
  return Math.max(0, startPartitionId);
}

/** The seed, or a refusal: a placer that draws random numbers is only repeatable with one. */
export function requireSeed({ seed }: PlacementRequest, instead: string): number | bigint {
  if (typeof seed === 'bigint' || Number.isSafeInteger(seed)) return seed!;
  throw invalidRequest(`This placer draws random numbers: give "seed", an integer${instead}.`);
}

/**
 * The result of a placement, once its racks are looked at: refused when a partition is in fewer racks than `minRacks` asks
 * for; with a warning when there are fewer racks than replicas. Brokers without racks make no warning.
 */
export function placementResult(
  { replicationFactor, minRacks }: PlacementRequest,
  brokers: readonly BrokerSpec[],
  replicas: ReadonlyMap<number, readonly number[]>,
  warnings: readonly PlacementWarning[] = [],
): PlacementResult {
  const rackOf = new Map(brokers.map(({ id, rack }) => [id, rack]));
  const countRacks = (ids: Iterable<number>) =>
    new Set([...ids].map((id) => rackOf.get(id)).filter((rack) => rack !== undefined)).size;
  const racks = countRacks(rackOf.keys());
  if (minRacks !== undefined) {
    for (const [partition, ids] of replicas) {
      if (countRacks(ids) >= minRacks) continue;
      throw invalidRequest(
        `Partition ${partition} is in ${countRacks(ids)} racks and needs ${minRacks}: the brokers are in ${racks} racks and ` +
          `the replication factor is ${replicationFactor}.`,
      );
    }
  }
  if (racks === 0 || racks >= replicationFactor) return { replicas, warnings };
  const message =
    `${replicationFactor} replicas on ${racks} rack(s): some replicas of a partition share a rack ` +
    'and are lost together with it.';
  return { replicas, warnings: [{ code: 'fewer-racks-than-replicas', message }, ...warnings] };
}
