import type { Catalog, CatalogTopic, PartitionDetail } from '@allot/coordinator';
import type { Statements } from '../database/database.js';
import { toMs } from '../database/time.js';

interface CatalogRow {
  readonly revision: number;
  readonly createdAt: number;
  readonly brokers: readonly { readonly id: number; readonly rack: string | null }[];
  readonly topics: readonly {
    readonly name: string;
    readonly topic_id: string;
    readonly partitions: number;
    readonly details: readonly PartitionDetail[] | null;
  }[];
}

interface Entry {
  /** A cluster that is deleted and made again counts its revisions from one. */
  readonly createdAt: number;
  readonly catalog: Catalog;
}

const MOST_CLUSTERS = 100;

/** The newest catalog of each cluster that was used lately. */
export class CatalogCache {
  readonly #entries = new Map<string, Entry>();

  /** The catalog at `revision`, or at a newer one that was committed meanwhile. The cluster exists. */
  async get(
    statements: Statements,
    cluster: string,
    version: { readonly revision: number; readonly createdAt: number },
  ): Promise<Catalog> {
    const entry = this.#entries.get(cluster);
    if (entry?.createdAt === version.createdAt && entry.catalog.revision === version.revision) return entry.catalog;
    const loaded = await loadCatalog(statements, cluster);
    const present = this.#entries.get(cluster);
    if (present?.createdAt === loaded.createdAt && present.catalog.revision >= loaded.catalog.revision)
      return loaded.catalog;
    this.#entries.delete(cluster);
    this.#entries.set(cluster, loaded);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MOST_CLUSTERS) break;
      this.#entries.delete(oldest);
    }
    return loaded.catalog;
  }
}

/** Revision, topics and racks in one statement, hence of one moment. */
async function loadCatalog(statements: Statements, cluster: string): Promise<Entry> {
  const rows = await statements.$queryRaw<CatalogRow[]>`
    SELECT c.catalog_revision::float8 AS revision, ${toMs('c.created_at')} AS "createdAt",
      (SELECT coalesce(json_agg(b), '[]') FROM (SELECT id, rack FROM brokers WHERE cluster = c.name) b) AS brokers,
      (SELECT coalesce(json_agg(t ORDER BY t.name), '[]') FROM
        (SELECT name, topic_id, partitions, details FROM topics WHERE cluster = c.name) t) AS topics
    FROM clusters c WHERE c.name = ${cluster}`;
  const { revision, createdAt, brokers, topics } = rows[0]!;
  const racks = new Map(brokers.flatMap(({ id, rack }) => (rack === null ? [] : [[id, rack] as const])));
  const catalogTopics = topics.map(({ name, topic_id: id, partitions, details }) =>
    catalogTopic({ name, id, partitions }, details ?? undefined, racks),
  );
  return { createdAt, catalog: { revision, topics: new Map(catalogTopics.map((topic) => [topic.name, topic])) } };
}

/**
 * A topic as groups see it. Its racks are those that the details name, else those of the replicas' brokers; when the racks of
 * any partition are not known in full, the topic has none, as Kafka's assignors expect. A partition without a weight counts 1
 * beside partitions that have one.
 */
export function catalogTopic(
  topic: Pick<CatalogTopic, 'name' | 'id' | 'partitions'>,
  details: readonly PartitionDetail[] | undefined,
  brokerRacks: ReadonlyMap<number, string>,
): CatalogTopic {
  if (details === undefined || details.length === 0) return topic;
  const racks = details.map((detail) => racksOf(detail, brokerRacks));
  const weighted = details.some(({ weight }) => weight !== undefined);
  return {
    ...topic,
    ...(racks.every((known) => known !== undefined) && { racks }),
    ...(weighted && { weights: details.map(({ weight }) => weight ?? 1) }),
  };
}

function racksOf(detail: PartitionDetail, brokerRacks: ReadonlyMap<number, string>): readonly string[] | undefined {
  if (detail.racks !== undefined) return detail.racks;
  if (detail.replicas.length === 0) return undefined;
  const racks = detail.replicas.map((broker) => brokerRacks.get(broker));
  return racks.every((rack) => rack !== undefined) ? racks : undefined;
}
