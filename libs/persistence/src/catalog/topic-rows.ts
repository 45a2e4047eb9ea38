import type { PageRequest, PartitionDetail, Topic, TopicWish } from '@allot/coordinator';
import { AllotError } from '@allot/model';
import { violatedConstraint } from '../database/database-errors.js';
import type { Statements } from '../database/database.js';
import { toMs } from '../database/time.js';
import { Prisma } from '../generated/client.js';
import { catalogTopic } from './catalog-cache.js';

export interface TopicRow {
  readonly name: string;
  readonly id: string;
  readonly partitions: number;
  readonly details: readonly PartitionDetail[] | null;
  readonly revision: number;
  readonly createdAt: number;
}

/** A topic to be written; `id` is set. */
export type NamedWish = TopicWish & { readonly name: string; readonly id: string };

const TOPIC_COLUMNS = Prisma.sql`t.name, t.topic_id AS id, t.partitions, t.details, t.revision::float8 AS revision,
  ${toMs('t.created_at')} AS "createdAt"`;

export async function readBrokerRacks(statements: Statements, cluster: string): Promise<ReadonlyMap<number, string>> {
  const rows = await statements.$queryRaw<{ id: number; rack: string }[]>`
    SELECT id, rack FROM brokers WHERE cluster = ${cluster} AND rack IS NOT NULL`;
  return new Map(rows.map(({ id, rack }) => [id, rack]));
}

export function toTopic(row: TopicRow, brokerRacks: ReadonlyMap<number, string>): Topic {
  const { name, id, partitions, revision, createdAt } = row;
  const details = row.details ?? undefined;
  const topic = catalogTopic({ name, id, partitions }, details, brokerRacks);
  return { ...topic, ...(details !== undefined && { details }), revision, createdAt };
}

export async function readTopicRows(
  statements: Statements,
  cluster: string,
  names: readonly string[],
): Promise<TopicRow[]> {
  return statements.$queryRaw<TopicRow[]>`
    SELECT ${TOPIC_COLUMNS} FROM topics t WHERE t.cluster = ${cluster} AND t.name = ANY (${names}::text[])`;
}

/** One row more than the page holds tells that there are more. */
export async function readTopicPage(
  statements: Statements,
  cluster: string,
  page: PageRequest<string>,
): Promise<TopicRow[]> {
  return statements.$queryRaw<TopicRow[]>`
    SELECT ${TOPIC_COLUMNS} FROM topics t WHERE t.cluster = ${cluster} AND t.name > ${page.after ?? ''}
    ORDER BY t.name LIMIT ${page.limit + 1}`;
}

/** Inserts and updates any number of topics in one statement. */
export async function writeTopics(
  statements: Statements,
  cluster: string,
  wishes: readonly NamedWish[],
): Promise<TopicRow[]> {
  if (wishes.length === 0) return [];
  const rows = wishes.map(({ name, id, partitions, details }) => ({ name, id, partitions, details: details ?? null }));
  try {
    return await statements.$queryRaw<TopicRow[]>`
      INSERT INTO topics AS t (cluster, name, topic_id, partitions, details)
      SELECT ${cluster}, name, id, partitions, NULLIF(details, 'null'::jsonb)
      FROM json_to_recordset(${JSON.stringify(rows)}::json) AS r(name text, id text, partitions int, details jsonb)
      ON CONFLICT (cluster, name) DO UPDATE
        SET partitions = excluded.partitions, details = excluded.details, revision = t.revision + 1
      RETURNING ${TOPIC_COLUMNS}`;
  } catch (error) {
    if (violatedConstraint(error) !== 'topics_cluster_topic_id_key') throw error;
    throw new AllotError(
      'INCONSISTENT_TOPIC_ID',
      'An id that the request gives belongs to another topic of the cluster.',
      {
        action: 'fix-request',
      },
    );
  }
}
