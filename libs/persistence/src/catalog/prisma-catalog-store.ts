import { randomUUID } from 'node:crypto';
import { checkRevision, decideTopic } from '@allot/coordinator';
import type {
  Broker,
  CatalogStore,
  Cluster,
  ClusterSettings,
  Page,
  PageRequest,
  Topic,
  TopicChange,
  WriteOptions,
  Written,
} from '@allot/coordinator';
import { AllotError, invalidRequest } from '@allot/model';
import type { Database } from '../database/database.js';
import { inTransaction, run } from '../database/run.js';
import type { Prisma } from '../generated/client.js';
import {
  brokerNotFound,
  checkClusterSettings,
  lockCluster,
  lockClusterToDelete,
  nonEmptyCluster,
  raiseCatalogRevision,
  readCluster,
  toBroker,
  toCluster,
  topicNotFound,
} from './cluster-rows.js';
import type { NamedWish } from './topic-rows.js';
import { readBrokerRacks, readTopicPage, readTopicRows, toTopic, writeTopics } from './topic-rows.js';

/** The cluster that exists from the start. */
const DEFAULT_CLUSTER = 'default';

/** Clusters, brokers and topics in PostgreSQL. Writers of one cluster take its row's lock. */
export class PrismaCatalogStore implements CatalogStore {
  constructor(private readonly database: Database) {}

  listClusters(page: PageRequest<string>): Promise<Page<Cluster>> {
    return run(this.database, async (statements) => {
      const where = page.after === undefined ? {} : { name: { gt: page.after } };
      const rows = await statements.cluster.findMany({ where, orderBy: { name: 'asc' }, take: page.limit + 1 });
      return pageOf(rows, page.limit, toCluster);
    });
  }

  getCluster(name: string): Promise<Cluster> {
    return run(this.database, async (statements) => toCluster(await readCluster(statements, name)));
  }

  async putCluster(
    name: string,
    change: Partial<ClusterSettings>,
    options: WriteOptions = {},
  ): Promise<Written<Cluster>> {
    checkClusterSettings(change);
    return inTransaction(
      this.database,
      async (tx) => {
        const { count } = await tx.cluster.createMany({ data: [{ name, ...change }], skipDuplicates: true });
        const row = await lockCluster(tx, name);
        if (count === 1) {
          checkRevision(0, options.ifRevision);
          return { value: toCluster(row), outcome: 'created' };
        }
        checkRevision(Number(row.revision), options.ifRevision);
        const settings = Object.keys(change) as (keyof ClusterSettings)[];
        if (settings.every((key) => change[key] === undefined || change[key] === row[key])) {
          return { value: toCluster(row), outcome: 'unchanged' };
        }
        const data = { ...change, revision: { increment: 1 } };
        return { value: toCluster(await tx.cluster.update({ where: { name }, data })), outcome: 'changed' };
      },
      options,
    );
  }

  async deleteCluster(name: string, options: WriteOptions = {}): Promise<void> {
    await inTransaction(
      this.database,
      async (tx) => {
        const row = await lockClusterToDelete(tx, name);
        if (name === DEFAULT_CLUSTER) {
          throw new AllotError('CLUSTER_PROTECTED', `The cluster "${name}" is built in and cannot be deleted.`, {
            action: 'stop',
          });
        }
        checkRevision(Number(row.revision), options.ifRevision);
        const [topics, groups] = [
          await tx.topic.count({ where: { cluster: name } }),
          await tx.group.count({ where: { cluster: name } }),
        ];
        if (topics + groups > 0) throw nonEmptyCluster(name, topics, groups);
        await tx.cluster.delete({ where: { name } });
      },
      options,
    );
  }

  listBrokers(cluster: string, page: PageRequest<number>): Promise<Page<Broker>> {
    return run(this.database, async (statements) => {
      await readCluster(statements, cluster);
      const where = { cluster, ...(page.after !== undefined && { id: { gt: page.after } }) };
      const rows = await statements.broker.findMany({ where, orderBy: { id: 'asc' }, take: page.limit + 1 });
      return pageOf(rows, page.limit, toBroker);
    });
  }

  getBroker(cluster: string, id: number): Promise<Broker> {
    return run(this.database, async (statements) => {
      await readCluster(statements, cluster);
      const row = await statements.broker.findUnique({ where: { cluster_id: { cluster, id } } });
      if (row === null) throw brokerNotFound(cluster, id);
      return toBroker(row);
    });
  }

  putBroker(
    cluster: string,
    id: number,
    change: { readonly rack?: string | null; readonly fenced?: boolean },
    options: WriteOptions = {},
  ): Promise<Written<Broker>> {
    return inTransaction(
      this.database,
      async (tx) => {
        await lockCluster(tx, cluster);
        const where = { cluster_id: { cluster, id } };
        const row = await tx.broker.findUnique({ where });
        checkRevision(Number(row?.revision ?? 0), options.ifRevision);
        const rack = change.rack === undefined ? (row?.rack ?? null) : change.rack;
        const fenced = change.fenced ?? row?.fenced ?? false;
        if (rack !== (row?.rack ?? null)) await raiseCatalogRevision(tx, cluster);
        if (row === null) {
          return {
            value: toBroker(await tx.broker.create({ data: { cluster, id, rack, fenced } })),
            outcome: 'created',
          };
        }
        if (rack === row.rack && fenced === row.fenced) return { value: toBroker(row), outcome: 'unchanged' };
        const data = { rack, fenced, revision: { increment: 1 } };
        return { value: toBroker(await tx.broker.update({ where, data })), outcome: 'changed' };
      },
      options,
    );
  }

  async deleteBroker(cluster: string, id: number, options: WriteOptions = {}): Promise<void> {
    await inTransaction(
      this.database,
      async (tx) => {
        await lockCluster(tx, cluster);
        const where = { cluster_id: { cluster, id } };
        const row = await tx.broker.findUnique({ where });
        if (row === null) throw brokerNotFound(cluster, id);
        checkRevision(Number(row.revision), options.ifRevision);
        await tx.broker.delete({ where });
        if (row.rack !== null) await raiseCatalogRevision(tx, cluster);
      },
      options,
    );
  }

  listTopics(cluster: string, page: PageRequest<string>): Promise<Page<Topic>> {
    return run(this.database, async (statements) => {
      await readCluster(statements, cluster);
      const racks = await readBrokerRacks(statements, cluster);
      return pageOf(await readTopicPage(statements, cluster, page), page.limit, (row) => toTopic(row, racks));
    });
  }

  getTopic(cluster: string, name: string): Promise<Topic> {
    return run(this.database, async (statements) => {
      await readCluster(statements, cluster);
      const [row] = await readTopicRows(statements, cluster, [name]);
      if (row === undefined) throw topicNotFound(cluster, name);
      return toTopic(row, await readBrokerRacks(statements, cluster));
    });
  }

  async putTopic(
    cluster: string,
    name: string,
    change: TopicChange,
    options: WriteOptions = {},
  ): Promise<Written<Topic>> {
    return inTransaction(
      this.database,
      async (tx) => {
        const { numPartitions } = await lockCluster(tx, cluster);
        const [row] = await readTopicRows(tx, cluster, [name]);
        checkRevision(row?.revision ?? 0, options.ifRevision);
        const [written] = await putAll(
          tx,
          cluster,
          [{ ...change, name }],
          row === undefined ? [] : [row],
          numPartitions,
        );
        return written!;
      },
      options,
    );
  }

  putTopics(
    cluster: string,
    topics: readonly (TopicChange & { readonly name: string })[],
    options: WriteOptions = {},
  ): Promise<readonly Written<Topic>[]> {
    return inTransaction(
      this.database,
      async (tx) => {
        const { numPartitions, catalogRevision } = await lockCluster(tx, cluster);
        checkRevision(Number(catalogRevision), options.ifRevision);
        const names = topics.map(({ name }) => name);
        if (new Set(names).size < names.length) throw invalidRequest('The same topic is named more than once.');
        return putAll(tx, cluster, topics, await readTopicRows(tx, cluster, names), numPartitions);
      },
      options,
    );
  }

  async deleteTopic(cluster: string, name: string, options: WriteOptions = {}): Promise<void> {
    await inTransaction(
      this.database,
      async (tx) => {
        await lockCluster(tx, cluster);
        const [row] = await readTopicRows(tx, cluster, [name]);
        if (row === undefined) throw topicNotFound(cluster, name);
        checkRevision(row.revision, options.ifRevision);
        await tx.topic.delete({ where: { cluster_name: { cluster, name } } });
        await raiseCatalogRevision(tx, cluster);
      },
      options,
    );
  }
}

/** Decides every topic, then writes those that change. The cluster is locked and `rows` are what exists of `topics`. */
async function putAll(
  tx: Prisma.TransactionClient,
  cluster: string,
  topics: readonly (TopicChange & { readonly name: string })[],
  rows: readonly Awaited<ReturnType<typeof readTopicRows>>[number][],
  numPartitions: number,
): Promise<Written<Topic>[]> {
  const racks = await readBrokerRacks(tx, cluster);
  const existing = new Map(rows.map((row) => [row.name, toTopic(row, racks)]));
  const wishes = topics.map((change): NamedWish => {
    const wish = decideTopic(existing.get(change.name), change.name, change, numPartitions);
    return { ...wish, name: change.name, id: wish.id ?? newTopicId() };
  });
  const written = await writeTopics(
    tx,
    cluster,
    wishes.filter(({ outcome }) => outcome !== 'unchanged'),
  );
  if (written.length > 0) await raiseCatalogRevision(tx, cluster);
  const values = new Map(existing);
  for (const row of written) values.set(row.name, toTopic(row, racks));
  return wishes.map(({ name, outcome }) => ({ value: values.get(name)!, outcome }));
}

/** A random Uuid in Kafka's form; like Kafka, none that begins with a dash, which command lines take for an option. */
function newTopicId(): string {
  for (;;) {
    const id = Buffer.from(randomUUID().replaceAll('-', ''), 'hex').toString('base64url');
    if (!id.startsWith('-')) return id;
  }
}

function pageOf<Row, T>(rows: readonly Row[], limit: number, convert: (row: Row) => T): Page<T> {
  return { items: rows.slice(0, limit).map(convert), more: rows.length > limit };
}
