import type { Type } from '@nestjs/common';
import { Args, Query, Resolver } from '@nestjs/graphql';
import { inputOf, outputOf } from '../graphql/derived-types.js';
import {
  DiagnoseAnswer,
  DiagnoseRequest,
  PartitionAnswer,
  Partitioner,
  PartitionRequest,
  RemapAnswer,
  RemapRequest,
} from './partitioner.contract.js';
import { PartitionersController } from './partitioners.controller.js';

for (const answer of [Partitioner, PartitionAnswer, RemapAnswer, DiagnoseAnswer] as Type<unknown>[]) outputOf(answer);
for (const request of [PartitionRequest, RemapRequest, DiagnoseRequest] as Type<unknown>[]) inputOf(request);

const Name = () => Args('partitioner', { type: () => String, description: 'Name or alias of the partitioner.' });

/** The questions are the same as in REST, and so is what answers them. */
@Resolver()
export class PartitionersResolver {
  constructor(private readonly rest: PartitionersController) {}

  @Query(() => [Partitioner], { description: "Kafka's own first, then those of other clients." })
  partitioners(): readonly Partitioner[] {
    return this.rest.list().items;
  }

  @Query(() => PartitionAnswer, { description: 'Where records go.' })
  partitionKeys(
    @Name() partitioner: string,
    @Args('input', { type: () => PartitionRequest }) input: PartitionRequest,
  ): PartitionAnswer {
    return this.rest.partition(partitioner, input);
  }

  @Query(() => RemapAnswer, { description: 'Which keys move when the partition count changes.' })
  remapKeys(
    @Name() partitioner: string,
    @Args('input', { type: () => RemapRequest }) input: RemapRequest,
  ): RemapAnswer {
    return this.rest.remap(partitioner, input);
  }

  @Query(() => DiagnoseAnswer, { description: 'Which clients put keys where they were seen.' })
  diagnosePartitioner(@Args('input', { type: () => DiagnoseRequest }) input: DiagnoseRequest): DiagnoseAnswer {
    return this.rest.diagnose(input);
  }
}
