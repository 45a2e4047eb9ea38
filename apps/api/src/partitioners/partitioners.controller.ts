import { invalidRequest } from '@allot/model';
import {
  diagnose,
  encodeKey,
  initialState,
  listPartitioners,
  remapEvenly,
  remapKeys,
  resolvePartitioner,
} from '@allot/strategies';
import { Body, Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Operation } from '../contracts/operation.js';
import { PathText } from '../http/path-names.js';
import {
  DiagnoseAnswer,
  DiagnoseRequest,
  PartitionAnswer,
  PartitionerList,
  PartitionRequest,
  RemapAnswer,
  RemapRequest,
} from './partitioner.contract.js';

@ApiTags('partitioners')
@Controller('v1/partitioners')
export class PartitionersController {
  @Get()
  @Operation({
    id: 'listPartitioners',
    summary: 'List the partitioners',
    answers: { 200: { description: "Kafka's own first, then those of other clients.", type: PartitionerList } },
  })
  list(): PartitionerList {
    const items = listPartitioners().map(({ name, aliases, client, summary, partitionForKey }) => {
      return { name, aliases, client, summary, byKey: partitionForKey !== undefined };
    });
    return { items };
  }

  @Post('diagnose')
  @Operation({
    id: 'diagnosePartitioner',
    summary: 'Find out which clients put keys where they were seen',
    body: {
      type: DiagnoseRequest,
      example: { observations: [{ key: 'order-1', partition: 3, partitions: 10 }] },
    },
    answers: { 200: { description: 'Families of clients that hash alike.', type: DiagnoseAnswer } },
    problems: ['UNKNOWN_TOPIC_OR_PARTITION'],
  })
  diagnose(@Body() { keyEncoding = 'utf8', observations }: DiagnoseRequest): DiagnoseAnswer {
    const seen = observations.map(({ key, partition, partitions }) => {
      return { key: encodeKey(keyEncoding, key), partition, partitions };
    });
    const { families, chance } = diagnose(seen);
    return {
      families: families.map((family) => ({ ...family, predicted: family.predicted.map((where) => where ?? null) })),
      chance,
    };
  }

  @Post(':partitioner/partition')
  @Operation({
    id: 'partitionKeys',
    summary: 'Say where records go',
    description: 'Records are taken in their order, since several rules remember what they chose last.',
    path: ['partitioner'],
    body: { type: PartitionRequest, example: { partitions: 10, keys: ['order-1', 'order-2'] } },
    answers: { 200: { description: 'The partition of each record.', type: PartitionAnswer } },
    problems: ['UNSUPPORTED_PARTITIONER', 'UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE'],
  })
  partition(@PathText('partitioner') name: string, @Body() request: PartitionRequest): PartitionAnswer {
    const partitioner = resolvePartitioner(name);
    const { partitions: count, available, keyEncoding = 'utf8', seed = 0 } = request;
    const topic = { partitions: count, ...(available === undefined ? {} : { available }) };
    let state = initialState(seed);
    const partitions = recordsOf(request).map(({ key, ...record }) => {
      const encoded = key === undefined || key === null ? {} : { key: encodeKey(keyEncoding, key) };
      const choice = partitioner.partition({ ...record, ...encoded }, topic, state);
      state = choice.state;
      return choice.partition;
    });
    return { partitioner: partitioner.name, partitions };
  }

  @Post(':partitioner/remap')
  @Operation({
    id: 'remapKeys',
    summary: 'Say which keys move when the partition count changes',
    path: ['partitioner'],
    body: { type: RemapRequest, example: { from: 10, to: 12 } },
    answers: { 200: { description: 'From where to where keys move.', type: RemapAnswer } },
    problems: ['UNSUPPORTED_PARTITIONER'],
  })
  remap(
    @PathText('partitioner') name: string,
    @Body() { from, to, keys, keyEncoding = 'utf8' }: RemapRequest,
  ): RemapAnswer {
    const partitioner = resolvePartitioner(name);
    if (keys !== undefined) {
      const encoded = keys.map((key) => encodeKey(keyEncoding, key));
      return { partitioner: partitioner.name, ...remapKeys(partitioner, encoded, from, to) };
    }
    if (partitioner.partitionForKey === undefined) {
      throw invalidRequest(`The partitioner ${partitioner.name} does not look at keys, so growing a topic moves none.`);
    }
    return { partitioner: partitioner.name, ...remapEvenly(from, to) };
  }
}

function recordsOf({ keys, records }: PartitionRequest) {
  if ((keys === undefined) === (records === undefined)) {
    const detail = 'is needed: give either keys or records';
    throw invalidRequest(`One of /keys and /records ${detail}.`, [{ pointer: '/keys', detail }]);
  }
  return records ?? keys!.map((key) => ({ key }));
}
