import { AllotError, invalidRequest } from '@allot/model';
import type { PartitionDetail, Topic, TopicChange } from '../ports/catalog-store.js';

/** More partitions than this no topic may have; Kafka has no limit but the cluster's. */
export const MOST_PARTITIONS_PER_TOPIC = 100_000;

const LEGAL_NAME = /^[a-zA-Z0-9._-]{1,249}$/;
const LEGAL_ID = /^[A-Za-z0-9_-]{22}$/;

/** A topic as it shall be stored. */
export interface TopicWish {
  /** Absent: a new one is to be made. */
  readonly id?: string;
  readonly partitions: number;
  readonly details?: readonly PartitionDetail[];
  readonly outcome: 'created' | 'changed' | 'unchanged';
}

/**
 * Refuses names that Kafka refuses (org.apache.kafka.common.internals.Topic).
 * @throws AllotError INVALID_TOPIC_EXCEPTION
 */
export function checkTopicName(name: string): void {
  if (LEGAL_NAME.test(name) && name !== '.' && name !== '..') return;
  throw new AllotError(
    'INVALID_TOPIC_EXCEPTION',
    `${JSON.stringify(name)} is no topic name: use 1 to 249 of the characters a-z, A-Z, 0-9, ".", "_" and "-", and neither "." ` +
      'nor ".." alone.',
    { action: 'fix-request' },
  );
}

/**
 * What becomes of a topic by a change. A topic that is new takes `defaultPartitions` when nothing says its count; an existing
 * one keeps what the change leaves out. Partitions only grow, as in Kafka; those that come without details are known to exist
 * and nothing more.
 * @throws AllotError INVALID_PARTITIONS, INVALID_TOPIC_EXCEPTION, INCONSISTENT_TOPIC_ID or INVALID_REQUEST
 */
export function decideTopic(
  existing: Pick<Topic, 'id' | 'partitions' | 'details'> | undefined,
  name: string,
  change: TopicChange,
  defaultPartitions: number,
): TopicWish {
  checkTopicName(name);
  checkId(existing, name, change.id);
  const partitions = change.partitions ?? change.details?.length ?? existing?.partitions ?? defaultPartitions;
  checkCount(existing, name, partitions);
  if (change.details !== undefined) checkDetails(name, change.details, partitions);
  const details = change.details ?? extended(existing?.details, partitions);
  const id = existing?.id ?? change.id;
  const outcome =
    existing === undefined
      ? 'created'
      : partitions === existing.partitions && sameDetails(details, existing.details)
        ? 'unchanged'
        : 'changed';
  return { ...(id !== undefined && { id }), partitions, ...(details !== undefined && { details }), outcome };
}

function checkId(existing: { readonly id: string } | undefined, name: string, id: string | undefined): void {
  if (id === undefined || id === existing?.id) return;
  if (!LEGAL_ID.test(id)) {
    throw invalidRequest(`The id of topic ${name} must be a Kafka Uuid: 22 characters of base64url.`, [
      { pointer: '/id', detail: 'must be 22 characters of base64url' },
    ]);
  }
  if (existing === undefined) return;
  throw new AllotError(
    'INCONSISTENT_TOPIC_ID',
    `Topic ${name} has the id ${existing.id}, not ${id}. A topic keeps its id; delete it first if this is another one.`,
    { action: 'fix-request', facts: { topicId: existing.id } },
  );
}

function checkCount(existing: { readonly partitions: number } | undefined, name: string, partitions: number): void {
  const refuse = (message: string) => new AllotError('INVALID_PARTITIONS', message, { action: 'fix-request' });
  if (!Number.isInteger(partitions) || partitions < 1) {
    throw refuse(`Topic ${name} needs at least 1 partition, not ${partitions}.`);
  }
  if (partitions > MOST_PARTITIONS_PER_TOPIC) {
    throw refuse(`Topic ${name} may have at most ${MOST_PARTITIONS_PER_TOPIC} partitions, not ${partitions}.`);
  }
  if (existing !== undefined && partitions < existing.partitions) {
    throw refuse(
      `Topic ${name} has ${existing.partitions} partitions and cannot shrink to ${partitions}. Delete it and create it anew if ` +
        'its data may go.',
    );
  }
}

function checkDetails(name: string, details: readonly PartitionDetail[], partitions: number): void {
  if (details.length !== partitions) {
    throw invalidRequest(
      `Topic ${name} has ${partitions} partitions, but ${details.length} are described. Describe each.`,
    );
  }
  details.forEach((detail, partition) => {
    const { replicas, isr, racks, weight } = detail;
    const refuse = (what: string) => invalidRequest(`Partition ${name}-${partition}: ${what}.`);
    if (new Set(replicas).size !== replicas.length) throw refuse('a broker holds at most one replica');
    if (isr?.some((broker) => !replicas.includes(broker))) throw refuse('the ISR holds replicas only');
    if (racks !== undefined && replicas.length > 0 && racks.length !== replicas.length) {
      throw refuse(`${replicas.length} replicas need as many racks, not ${racks.length}`);
    }
    if (weight !== undefined && !(Number.isFinite(weight) && weight >= 0)) throw refuse('a weight is a number from 0');
  });
}

function extended(
  details: readonly PartitionDetail[] | undefined,
  partitions: number,
): readonly PartitionDetail[] | undefined {
  if (details === undefined || details.length === partitions) return details;
  return [...details, ...Array.from({ length: partitions - details.length }, () => ({ replicas: [] }))];
}

function sameDetails(a: readonly PartitionDetail[] | undefined, b: readonly PartitionDetail[] | undefined): boolean {
  if (a === b) return true;
  return a !== undefined && a.length === b?.length && a.every((detail, i) => sameDetail(detail, b[i]!));
}

function sameDetail(a: PartitionDetail, b: PartitionDetail): boolean {
  return (
    a.leader === b.leader &&
    a.weight === b.weight &&
    sameList(a.replicas, b.replicas) &&
    sameList(a.isr, b.isr) &&
    sameList(a.racks, b.racks)
  );
}

function sameList(a: readonly unknown[] | undefined, b: readonly unknown[] | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.length === b.length && a.every((value, i) => value === b[i]);
}
