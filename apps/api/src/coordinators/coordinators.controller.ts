import type { CatalogStore, GroupReadModel, GroupSummary, Page } from '@allot/coordinator';
import { compareText } from '@allot/model';
import { coordinatorPartition, leastLoadedCoordinator } from '@allot/strategies';
import { Controller, Get, Inject } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, ApiTags } from '@nestjs/swagger';
import { LIMITS } from '../config/limits.js';
import { Operation } from '../contracts/operation.js';
import { orNull } from '../graphql/or-null.js';
import { ClusterName, GroupId } from '../http/path-names.js';
import { CATALOG_STORE, GROUP_READ_MODEL } from '../ports.js';

const OFFSETS_TOPIC = '__consumer_offsets';

export class Coordinator {
  @ApiProperty({ example: 'checkout' })
  groupId!: string;

  @ApiProperty({ description: 'hash or least-loaded; an open enum.', example: 'hash' })
  selection!: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 0, description: 'Partition of __consumer_offsets, by hash.' })
  partition?: number;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, description: 'Partition count of __consumer_offsets, by hash.' })
  offsetsPartitions?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    description: 'Id of the coordinating broker, where it is known.',
  })
  broker?: number;

  @ApiPropertyOptional({ description: 'Why no broker is known.' })
  reason?: string;
}

/** Which broker of a real cluster coordinates a group. */
@ApiTags('clusters')
@Controller('v1/clusters/:cluster/coordinators')
export class CoordinatorsController {
  constructor(
    @Inject(CATALOG_STORE) private readonly catalog: CatalogStore,
    @Inject(GROUP_READ_MODEL) private readonly groups: GroupReadModel,
  ) {}

  @Get(':group')
  @Operation({
    id: 'findCoordinator',
    summary: 'Find the coordinator of a group',
    description:
      'By hash, as Kafka: the leader of the partition of __consumer_offsets that the hash of the group id falls on; the ' +
      'broker is known when that topic is described. By the oldest rule: the broker that coordinates the fewest groups, ' +
      'where groups count in the order in which they were made. The group need not exist.',
    path: ['cluster', 'group'],
    answers: { 200: { description: 'The coordinator.', type: Coordinator } },
    problems: ['CLUSTER_NOT_FOUND', 'COORDINATOR_NOT_AVAILABLE'],
  })
  async find(@ClusterName() cluster: string, @GroupId() groupId: string): Promise<Coordinator> {
    const { coordinatorSelection: selection, offsetsPartitions } = await this.catalog.getCluster(cluster);
    const found =
      selection === 'hash'
        ? await this.#byHash(cluster, groupId, offsetsPartitions)
        : { broker: await this.#leastLoaded(cluster, groupId) };
    return { groupId, selection, ...found };
  }

  async #byHash(cluster: string, groupId: string, configured: number): Promise<Partial<Coordinator>> {
    const topic = await orNull(this.catalog.getTopic(cluster, OFFSETS_TOPIC), 'UNKNOWN_TOPIC_OR_PARTITION');
    const offsetsPartitions = topic?.partitions ?? configured;
    const partition = coordinatorPartition(groupId, offsetsPartitions);
    const broker = topic?.details?.[partition]?.leader;
    if (broker !== undefined) return { partition, offsetsPartitions, broker };
    const reason =
      topic === null
        ? `The leader is not known: describe or import the topic ${OFFSETS_TOPIC}.`
        : `Partition ${partition} of ${OFFSETS_TOPIC} has no known leader.`;
    return { partition, offsetsPartitions, reason };
  }

  /** Replays the choice for every group in the order in which they were made. */
  async #leastLoaded(cluster: string, groupId: string): Promise<number> {
    const brokers = await all(
      (after: number | undefined) =>
        this.catalog.listBrokers(cluster, { limit: LIMITS.pageSize, ...(after === undefined ? {} : { after }) }),
      ({ id }) => id,
    );
    const groups = await all(
      (after: string | undefined) =>
        this.groups.listGroups(cluster, { limit: LIMITS.pageSize, ...(after === undefined ? {} : { after }) }),
      ({ ref }) => ref.groupId,
    );
    const coordinated = new Map(brokers.map(({ id }) => [id, 0]));
    const choose = () =>
      leastLoadedCoordinator(brokers.map(({ id, fenced }) => ({ id, fenced, groups: coordinated.get(id)! })));
    for (const { ref } of groups.sort(byCreation)) {
      const broker = choose();
      if (ref.groupId === groupId) return broker;
      coordinated.set(broker, coordinated.get(broker)! + 1);
    }
    return choose();
  }
}

function byCreation(a: GroupSummary, b: GroupSummary): number {
  return a.createdAt - b.createdAt || compareText(a.ref.groupId, b.ref.groupId);
}

async function all<T, K>(read: (after: K | undefined) => Promise<Page<T>>, keyOf: (item: T) => K): Promise<T[]> {
  const items: T[] = [];
  for (let more = true; more;) {
    const last = items.at(-1);
    const page = await read(last === undefined ? undefined : keyOf(last));
    items.push(...page.items);
    ({ more } = page);
  }
  return items;
}
