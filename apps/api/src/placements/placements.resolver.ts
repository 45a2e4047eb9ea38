import type { Type } from '@nestjs/common';
import { Args, Query, Resolver } from '@nestjs/graphql';
import { inputOf, outputOf } from '../graphql/derived-types.js';
import {
  PlacementAnswer,
  PlacementRequest,
  Placer,
  ReassignmentAnswer,
  ReassignmentRequest,
} from './placement.contract.js';
import { PlacementsController } from './placements.controller.js';

for (const answer of [Placer, PlacementAnswer, ReassignmentAnswer] as Type<unknown>[]) outputOf(answer);
for (const request of [PlacementRequest, ReassignmentRequest] as Type<unknown>[]) inputOf(request);

/** The questions are the same as in REST, and so is what answers them. */
@Resolver()
export class PlacementsResolver {
  constructor(private readonly rest: PlacementsController) {}

  @Query(() => [Placer], { description: 'The rules that place replicas.' })
  placers(): readonly Placer[] {
    return this.rest.list().items;
  }

  @Query(() => PlacementAnswer, { description: 'The replicas of new partitions. Nothing is stored.' })
  placeReplicas(@Args('input', { type: () => PlacementRequest }) input: PlacementRequest): PlacementAnswer {
    return this.rest.place(input);
  }

  @Query(() => ReassignmentAnswer, { description: 'What to move after brokers came, went or were fenced.' })
  reassignReplicas(@Args('input', { type: () => ReassignmentRequest }) input: ReassignmentRequest): ReassignmentAnswer {
    return this.rest.reassign(input);
  }
}
