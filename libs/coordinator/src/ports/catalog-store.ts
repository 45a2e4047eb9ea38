import type { CatalogTopic } from '../catalog/catalog.js';

/** Which broker coordinates a group: by the hash of its id (Kafka), or the broker that coordinates the fewest (oldest rule). */
export type CoordinatorSelection = 'hash' | 'least-loaded';

export interface ClusterSettings {
  /** Partition count of a topic that names none (num.partitions). */
  readonly numPartitions: number;
  /** offsets.topic.num.partitions. */
  readonly offsetsPartitions: number;
  readonly coordinatorSelection: CoordinatorSelection;
}

export interface Cluster extends ClusterSettings {
  readonly name: string;
  /** Any change of the cluster's own settings; the ETag. */
  readonly revision: number;
  /** Any change of its topics, or of its brokers' racks. */
  readonly catalogRevision: number;
  /** Database time, ms since 1970. */
  readonly createdAt: number;
}

export interface Broker {
  readonly id: number;
  readonly rack?: string;
  readonly fenced: boolean;
  readonly revision: number;
}

/** What is known of one partition. Replica order is data: the first is the preferred leader. */
export interface PartitionDetail {
  /** Absent: no leader. */
  readonly leader?: number;
  readonly replicas: readonly number[];
  readonly isr?: readonly number[];
  /** Racks of the replicas in their order, for a topic whose brokers are not described. */
  readonly racks?: readonly string[];
  readonly weight?: number;
}

export interface Topic extends CatalogTopic {
  /** One entry a partition; absent when nothing is known but the count. */
  readonly details?: readonly PartitionDetail[];
  readonly revision: number;
  /** Database time, ms since 1970. */
  readonly createdAt: number;
}

/** A wish for a topic; what is absent stays, or on creation takes the cluster's default. */
export interface TopicChange {
  /** Kafka's Uuid, base64url; made by the service when absent on creation. */
  readonly id?: string;
  readonly partitions?: number;
  readonly details?: readonly PartitionDetail[];
}

/** Keyset page: `after` is the last key of the page before. */
export interface PageRequest<K> {
  readonly after?: K;
  readonly limit: number;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly more: boolean;
}

export interface WriteOptions {
  /** The revision that the caller read; another one is refused with STALE_REVISION. Absent: no condition. */
  readonly ifRevision?: number;
  /** Run every check, then roll back. */
  readonly dryRun?: boolean;
}

export interface Written<T> {
  readonly value: T;
  readonly outcome: 'created' | 'changed' | 'unchanged';
}

/** Clusters, their brokers and their topics. Every write is one transaction. Unknown names throw CLUSTER_NOT_FOUND,
 * BROKER_NOT_FOUND or UNKNOWN_TOPIC_OR_PARTITION. */
export interface CatalogStore {
  listClusters(page: PageRequest<string>): Promise<Page<Cluster>>;
  getCluster(name: string): Promise<Cluster>;
  putCluster(name: string, change: Partial<ClusterSettings>, options?: WriteOptions): Promise<Written<Cluster>>;
  /** @throws AllotError NON_EMPTY_CLUSTER while it has topics or groups; CLUSTER_PROTECTED for `default`. */
  deleteCluster(name: string, options?: WriteOptions): Promise<void>;

  listBrokers(cluster: string, page: PageRequest<number>): Promise<Page<Broker>>;
  getBroker(cluster: string, id: number): Promise<Broker>;
  putBroker(
    cluster: string,
    id: number,
    change: { readonly rack?: string | null; readonly fenced?: boolean },
    options?: WriteOptions,
  ): Promise<Written<Broker>>;
  deleteBroker(cluster: string, id: number, options?: WriteOptions): Promise<void>;

  listTopics(cluster: string, page: PageRequest<string>): Promise<Page<Topic>>;
  getTopic(cluster: string, name: string): Promise<Topic>;
  /** @throws AllotError INVALID_PARTITIONS on a shrink or beyond the limit, INVALID_TOPIC_EXCEPTION on an illegal name. */
  putTopic(cluster: string, name: string, change: TopicChange, options?: WriteOptions): Promise<Written<Topic>>;
  deleteTopic(cluster: string, name: string, options?: WriteOptions): Promise<void>;
  /** Many topics in one transaction: all or none. */
  putTopics(
    cluster: string,
    topics: readonly (TopicChange & { readonly name: string })[],
    options?: WriteOptions,
  ): Promise<readonly Written<Topic>[]>;
}
