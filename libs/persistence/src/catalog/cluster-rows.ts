import type { Broker, Cluster, ClusterSettings, CoordinatorSelection } from '@allot/coordinator';
import { AllotError, invalidRequest } from '@allot/model';
import type { Statements } from '../database/database.js';
import { Prisma } from '../generated/client.js';
import type { Broker as BrokerRow, Cluster as ClusterRow } from '../generated/client.js';
import { clusterNotFound } from '../groups/group-writer.js';

export function toCluster(row: ClusterRow): Cluster {
  return {
    name: row.name,
    numPartitions: row.numPartitions,
    offsetsPartitions: row.offsetsPartitions,
    coordinatorSelection: row.coordinatorSelection as CoordinatorSelection,
    revision: Number(row.revision),
    catalogRevision: Number(row.catalogRevision),
    createdAt: row.createdAt.getTime(),
  };
}

export function toBroker({ id, rack, fenced, revision }: BrokerRow): Broker {
  return { id, ...(rack !== null && { rack }), fenced, revision: Number(revision) };
}

export async function readCluster(statements: Statements, name: string): Promise<ClusterRow> {
  const row = await statements.cluster.findUnique({ where: { name } });
  if (row === null) throw clusterNotFound(name);
  return row;
}

/** Writers of one cluster's catalog go one after the other; readers, and groups that are created, do not wait. */
export function lockCluster(tx: Prisma.TransactionClient, name: string): Promise<ClusterRow> {
  return lockRow(tx, name, Prisma.sql`FOR NO KEY UPDATE`);
}

/** Stronger than the writers' lock: a topic or group that is being created refers to this row and is waited for. */
export function lockClusterToDelete(tx: Prisma.TransactionClient, name: string): Promise<ClusterRow> {
  return lockRow(tx, name, Prisma.sql`FOR UPDATE`);
}

async function lockRow(tx: Prisma.TransactionClient, name: string, strength: Prisma.Sql): Promise<ClusterRow> {
  for (;;) {
    const locked = await tx.$queryRaw<unknown[]>`SELECT 1 FROM clusters WHERE name = ${name} ${strength}`;
    const row = await readCluster(tx, name);
    // The row that was waited for may be gone and another of its name there, which nobody has locked yet.
    if (locked.length > 0) return row;
  }
}

/** Groups notice by this number that they must look at the catalog again. */
export async function raiseCatalogRevision(tx: Prisma.TransactionClient, name: string): Promise<void> {
  await tx.$executeRaw`UPDATE clusters SET catalog_revision = catalog_revision + 1 WHERE name = ${name}`;
}

export function checkClusterSettings({ numPartitions, offsetsPartitions }: Partial<ClusterSettings>): void {
  const counts = { numPartitions, offsetsPartitions };
  for (const [field, count] of Object.entries(counts)) {
    if (count === undefined || (Number.isInteger(count) && count >= 1 && count <= 100_000)) continue;
    const detail = 'must be a whole number from 1 to 100000';
    throw invalidRequest(`${field} ${detail}, not ${count}.`, [{ pointer: `/${field}`, detail }]);
  }
}

export function brokerNotFound(cluster: string, id: number): AllotError {
  return new AllotError('BROKER_NOT_FOUND', `Cluster "${cluster}" has no broker ${id}.`, { action: 'fix-request' });
}

export function topicNotFound(cluster: string, name: string): AllotError {
  return new AllotError('UNKNOWN_TOPIC_OR_PARTITION', `Cluster "${cluster}" has no topic ${JSON.stringify(name)}.`, {
    action: 'fix-request',
  });
}

export function nonEmptyCluster(name: string, topics: number, groups: number): AllotError {
  return new AllotError(
    'NON_EMPTY_CLUSTER',
    `Cluster "${name}" still has ${topics} topics and ${groups} groups. Delete them first.`,
    { action: 'fix-request', facts: { topics, groups } },
  );
}
