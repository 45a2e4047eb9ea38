import { Args, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { Cluster } from '../clusters/cluster.contract.js';
import { outputOf } from '../graphql/derived-types.js';
import { Coordinator, CoordinatorsController } from './coordinators.controller.js';

outputOf(Coordinator);

/** The question is the same as in REST, and so is what answers it. */
@Resolver(() => Cluster)
export class CoordinatorsResolver {
  constructor(private readonly coordinators: CoordinatorsController) {}

  @ResolveField(() => Coordinator, { description: 'Which broker coordinates a group, which need not exist.' })
  coordinator(
    @Parent() { name }: Cluster,
    @Args('group', { type: () => String }) groupId: string,
  ): Promise<Coordinator> {
    return this.coordinators.find(name, groupId);
  }
}
