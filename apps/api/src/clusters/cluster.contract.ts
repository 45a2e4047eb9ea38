import type * as coordinator from '@allot/coordinator';
import { ObjectType } from '@nestjs/graphql';
import { ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IntField, SafeIntField, TextField, TimeField } from '../contracts/fields.js';
import { LIMITS } from '../config/limits.js';
import { connectionOf } from '../paging/connection.js';
import { type ListKind, pageOf } from '../paging/page.js';
import { Absent, Integer, OneOf } from '../validation/rules.js';

const SELECTIONS = ['hash', 'least-loaded'] as const satisfies readonly coordinator.CoordinatorSelection[];

const SELECTION_DESCRIPTION =
  "How a group's coordinator is found: `hash` of its id, as Kafka does, or `least-loaded` broker, the oldest rule.";

@ObjectType({ description: 'A Kafka cluster, real or imagined: brokers, topics and groups.' })
@ApiSchema({ description: 'A Kafka cluster, real or imagined: brokers, topics and groups.' })
export class Cluster {
  @TextField('Name of the cluster.', { example: 'default' })
  name!: string;

  @IntField('Partition count of a topic that names none (num.partitions).', { min: 1, example: 1 })
  numPartitions!: number;

  @IntField('Partitions of __consumer_offsets (offsets.topic.num.partitions).', { min: 1, example: 50 })
  offsetsPartitions!: number;

  @TextField(SELECTION_DESCRIPTION, { enum: SELECTIONS, example: 'hash' })
  coordinatorSelection!: string;

  @SafeIntField("Changes with the cluster's own settings; the ETag.", { example: 1 })
  revision!: number;

  @SafeIntField("Changes with its topics and its brokers' racks.", { example: 12 })
  catalogRevision!: number;

  @TimeField('When it was made.')
  createdAt!: Date;
}

/** What a client may set of a cluster; what is absent stays, or starts at its default. */
export class ClusterChange {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: LIMITS.partitionsPerTopic,
    description: 'Partition count of a topic that names none; 1 at first.',
  })
  @Absent()
  @Integer(1, LIMITS.partitionsPerTopic)
  numPartitions?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: LIMITS.partitionsPerTopic,
    description: 'Partitions of __consumer_offsets; 50 at first.',
  })
  @Absent()
  @Integer(1, LIMITS.partitionsPerTopic)
  offsetsPartitions?: number;

  @ApiPropertyOptional({ type: 'string', enum: [...SELECTIONS], description: SELECTION_DESCRIPTION })
  @Absent()
  @OneOf(SELECTIONS)
  coordinatorSelection?: coordinator.CoordinatorSelection;
}

export class ClusterPage extends pageOf(Cluster) {}

@ObjectType()
export class ClusterConnection extends connectionOf('Cluster', () => Cluster) {}

export const CLUSTERS: ListKind<coordinator.Cluster, string> = {
  kind: 'clusters',
  keyType: 'string',
  keyOf: (cluster) => cluster.name,
};

export function showCluster(cluster: coordinator.Cluster): Cluster {
  return {
    name: cluster.name,
    numPartitions: cluster.numPartitions,
    offsetsPartitions: cluster.offsetsPartitions,
    coordinatorSelection: cluster.coordinatorSelection,
    revision: cluster.revision,
    catalogRevision: cluster.catalogRevision,
    createdAt: new Date(cluster.createdAt),
  };
}
