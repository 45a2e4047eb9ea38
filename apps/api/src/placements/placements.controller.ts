import { printReassignmentJson } from '@allot/interop';
import { listPlacers, type PartitionReplicas, reassign, resolvePlacer, rollbackOf } from '@allot/strategies';
import { Body, Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Operation } from '../contracts/operation.js';
import {
  PlacementAnswer,
  PlacementRequest,
  PlacerList,
  ReassignmentAnswer,
  ReassignmentRequest,
} from './placement.contract.js';

@ApiTags('placements')
@Controller('v1')
export class PlacementsController {
  @Get('placers')
  @Operation({
    id: 'listPlacers',
    summary: 'List the replica placers',
    answers: { 200: { description: 'All replica placers.', type: PlacerList } },
  })
  list(): PlacerList {
    const items = listPlacers().map(({ name, aliases, summary, kafkaVersions }) => {
      return { name, aliases, summary, kafkaVersions };
    });
    return { items };
  }

  @Post('placements')
  @Operation({
    id: 'placeReplicas',
    summary: 'Place the replicas of new partitions',
    description: 'Nothing is stored. The same request always gives the same answer; where Kafka draws, give the seed.',
    body: {
      type: PlacementRequest,
      example: { placer: 'modulo', brokers: [{ id: 1 }, { id: 2 }, { id: 3 }], partitions: 6, replicationFactor: 2 },
    },
    answers: { 200: { description: 'The replicas of each partition.', type: PlacementAnswer } },
    problems: ['UNSUPPORTED_PLACER', 'INVALID_PARTITIONS', 'INVALID_REPLICATION_FACTOR'],
  })
  place(@Body() { placer: name, topic, ...request }: PlacementRequest): PlacementAnswer {
    const placer = resolvePlacer(name);
    const { replicas, warnings } = placer.place(request);
    const placed = [...replicas].sort(([a], [b]) => a - b);
    const named = placed.map(([partition, ids]) => ({ topic: topic!, partition, replicas: ids }));
    return {
      placer: placer.name,
      startPartitionId: request.startPartitionId ?? 0,
      replicas: placed.map(([, ids]) => ids),
      warnings,
      ...(topic === undefined ? {} : { reassignment: kafkaJson(named) }),
    };
  }

  @Post('placements/reassignments')
  @Operation({
    id: 'reassignReplicas',
    summary: 'Move replicas after brokers came, went or were fenced',
    description: 'Nothing is stored. As few copies as possible; the answer is a file for kafka-reassign-partitions.sh.',
    body: {
      type: ReassignmentRequest,
      example: {
        partitions: [{ topic: 'orders', partition: 0, replicas: [1, 2] }],
        brokers: [{ id: 1 }, { id: 3 }],
      },
    },
    answers: { 200: { description: 'What to move, and the way back.', type: ReassignmentAnswer } },
    problems: ['REPLICATION_DECREASED'],
  })
  reassign(@Body() request: ReassignmentRequest): ReassignmentAnswer {
    const { changed, moves, warnings } = reassign(request);
    const rollback = rollbackOf(request.partitions, changed);
    return { moves, reassignment: kafkaJson(changed), rollback: kafkaJson(rollback), warnings };
  }
}

function kafkaJson(partitions: readonly PartitionReplicas[]): object {
  return JSON.parse(printReassignmentJson(partitions)) as object;
}
