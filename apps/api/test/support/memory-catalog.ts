import type {
  Broker,
  Catalog,
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
import { AllotError, compareText } from '@allot/model';

const NOW = Date.UTC(2026, 0, 31, 12);

interface Shelf {
  cluster: Cluster;
  readonly brokers: Map<number, Broker>;
  readonly topics: Map<string, Topic>;
}

/** A catalog in memory that keeps the port's promises, for tests that are about the API alone. */
export class MemoryCatalog implements CatalogStore {
  readonly #shelves = new Map<string, Shelf>();
  #ids = 0;

  constructor() {
    void this.putCluster('default', {});
  }

  async listClusters(page: PageRequest<string>): Promise<Page<Cluster>> {
    return pageOf(
      [...this.#shelves.values()].map(({ cluster }) => cluster),
      page,
      (c) => c.name,
      compareText,
    );
  }

  async getCluster(name: string): Promise<Cluster> {
    return this.#shelf(name).cluster;
  }

  async putCluster(
    name: string,
    change: Partial<ClusterSettings>,
    options: WriteOptions = {},
  ): Promise<Written<Cluster>> {
    const old = this.#shelves.get(name);
    const settings = old?.cluster ?? {
      ...{ numPartitions: 1, offsetsPartitions: 50, coordinatorSelection: 'hash' as const },
      ...{ name, revision: 0, catalogRevision: 0, createdAt: NOW },
    };
    const written = write<Cluster>(old?.cluster, settings, change, options);
    if (options.dryRun !== true) {
      if (old) old.cluster = written.value;
      else this.#shelves.set(name, { cluster: written.value, brokers: new Map(), topics: new Map() });
    }
    return written;
  }

  async deleteCluster(name: string, options: WriteOptions = {}): Promise<void> {
    const { cluster, topics } = this.#shelf(name);
    checkRevision(cluster, options);
    if (name === 'default') throw fixRequest('CLUSTER_PROTECTED', 'The cluster default stays.');
    if (topics.size > 0) throw fixRequest('NON_EMPTY_CLUSTER', `Cluster ${name} still has topics.`);
    if (options.dryRun !== true) this.#shelves.delete(name);
  }

  async listBrokers(cluster: string, page: PageRequest<number>): Promise<Page<Broker>> {
    return pageOf(
      [...this.#shelf(cluster).brokers.values()],
      page,
      (b) => b.id,
      (a, b) => a - b,
    );
  }

  async getBroker(cluster: string, id: number): Promise<Broker> {
    return found(this.#shelf(cluster).brokers.get(id), 'BROKER_NOT_FOUND', `Cluster ${cluster} has no broker ${id}.`);
  }

  async putBroker(
    cluster: string,
    id: number,
    { rack, fenced }: { readonly rack?: string | null; readonly fenced?: boolean },
    options: WriteOptions = {},
  ): Promise<Written<Broker>> {
    const { brokers } = this.#shelf(cluster);
    const change = { ...(fenced === undefined ? {} : { fenced }), ...(rack === undefined ? {} : { rack }) };
    const old = brokers.get(id);
    const written = write<Broker>(old, old ?? { id, fenced: false, revision: 0 }, change as Partial<Broker>, options);
    if (written.value.rack === null) delete (written.value as { rack?: unknown }).rack;
    if (options.dryRun !== true) brokers.set(id, written.value);
    return written;
  }

  async deleteBroker(cluster: string, id: number, options: WriteOptions = {}): Promise<void> {
    checkRevision(await this.getBroker(cluster, id), options);
    if (options.dryRun !== true) this.#shelf(cluster).brokers.delete(id);
  }

  async listTopics(cluster: string, page: PageRequest<string>): Promise<Page<Topic>> {
    return pageOf([...this.#shelf(cluster).topics.values()], page, (t) => t.name, compareText);
  }

  async getTopic(cluster: string, name: string): Promise<Topic> {
    const topic = this.#shelf(cluster).topics.get(name);
    return found(topic, 'UNKNOWN_TOPIC_OR_PARTITION', `Cluster ${cluster} has no topic ${name}.`);
  }

  async putTopic(cluster: string, name: string, change: TopicChange, options: WriteOptions = {}) {
    const shelf = this.#shelf(cluster);
    if (!/^[\w.-]{1,249}$/.test(name) || name === '.' || name === '..') {
      throw fixRequest('INVALID_TOPIC_EXCEPTION', `${name} is no topic name.`);
    }
    const old = shelf.topics.get(name);
    if (old && change.partitions !== undefined && change.partitions < old.partitions) {
      throw fixRequest('INVALID_PARTITIONS', `Topic ${name} has ${old.partitions} partitions, which only grow.`);
    }
    const fresh = {
      ...{ name, id: String(++this.#ids).padStart(22, 'A'), partitions: shelf.cluster.numPartitions },
      ...{ revision: 0, createdAt: NOW },
    };
    const written = write<Topic>(old, old ?? fresh, change, options);
    if (options.dryRun === true) return written;
    shelf.topics.set(name, written.value);
    if (written.outcome !== 'unchanged') touch(shelf);
    return written;
  }

  async deleteTopic(cluster: string, name: string, options: WriteOptions = {}): Promise<void> {
    checkRevision(await this.getTopic(cluster, name), options);
    if (options.dryRun === true) return;
    this.#shelf(cluster).topics.delete(name);
    touch(this.#shelf(cluster));
  }

  async putTopics(
    cluster: string,
    topics: readonly (TopicChange & { readonly name: string })[],
    options: WriteOptions = {},
  ): Promise<readonly Written<Topic>[]> {
    const written: Written<Topic>[] = [];
    for (const { name, ...change } of topics) await this.putTopic(cluster, name, change, { dryRun: true });
    for (const { name, ...change } of topics) written.push(await this.putTopic(cluster, name, change, options));
    return written;
  }

  /** What groups see of a cluster; undefined when there is none of that name. */
  catalogOf(name: string): Catalog | undefined {
    const shelf = this.#shelves.get(name);
    if (shelf === undefined) return undefined;
    const topics = [...shelf.topics].map(
      ([topic, { id, partitions }]) => [topic, { name: topic, id, partitions }] as const,
    );
    return { revision: shelf.cluster.catalogRevision, topics: new Map(topics) };
  }

  #shelf(name: string): Shelf {
    return found(this.#shelves.get(name), 'CLUSTER_NOT_FOUND', `There is no cluster ${name}.`);
  }
}

function touch(shelf: Shelf): void {
  shelf.cluster = { ...shelf.cluster, catalogRevision: shelf.cluster.catalogRevision + 1 };
}

function write<T extends { readonly revision: number }>(
  old: T | undefined,
  base: T,
  change: Partial<T>,
  options: WriteOptions,
): Written<T> {
  if (options.ifRevision !== undefined && old?.revision !== options.ifRevision) throw staleRevision();
  const value = { ...base, ...change };
  if (old === undefined) return { value: { ...value, revision: 1 }, outcome: 'created' };
  if (JSON.stringify(value) === JSON.stringify(old)) return { value: old, outcome: 'unchanged' };
  return { value: { ...value, revision: old.revision + 1 }, outcome: 'changed' };
}

function checkRevision({ revision }: { readonly revision: number }, options: WriteOptions): void {
  if (options.ifRevision !== undefined && options.ifRevision !== revision) throw staleRevision();
}

function staleRevision(): AllotError {
  return new AllotError('STALE_REVISION', 'It has changed since.', { action: 'refresh' });
}

function fixRequest(code: string, message: string): AllotError {
  return new AllotError(code, message, { action: 'fix-request' });
}

function found<T>(value: T | undefined, code: string, message: string): T {
  if (value === undefined) throw fixRequest(code, message);
  return value;
}

function pageOf<T, K>(items: T[], page: PageRequest<K>, keyOf: (item: T) => K, compare: (a: K, b: K) => number) {
  const { after, limit } = page;
  const rest = items
    .sort((a, b) => compare(keyOf(a), keyOf(b)))
    .filter((item) => after === undefined || compare(keyOf(item), after) > 0);
  return { items: rest.slice(0, limit), more: rest.length > limit };
}
