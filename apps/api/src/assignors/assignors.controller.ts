import { DEFAULT_ASSIGNOR } from '@allot/strategies';
import { Controller, Get } from '@nestjs/common';
import { Query, Resolver } from '@nestjs/graphql';
import { ApiTags } from '@nestjs/swagger';
import { Operation } from '../contracts/operation.js';
import { AssignorRegistry } from './assignor-registry.js';
import { Assignor, AssignorList, showAssignor } from './assignor.contract.js';

@ApiTags('assignors')
@Controller('v1/assignors')
export class AssignorsController {
  constructor(private readonly registry: AssignorRegistry) {}

  @Get()
  @Operation({
    id: 'listAssignors',
    summary: 'List the assignors',
    answers: { 200: { description: 'All assignors; a group takes any name or alias.', type: AssignorList } },
  })
  list(): AssignorList {
    return { items: showAll(this.registry) };
  }
}

@Resolver(() => Assignor)
export class AssignorsResolver {
  constructor(private readonly registry: AssignorRegistry) {}

  @Query(() => [Assignor], { description: 'The assignors that groups and plans may use.' })
  assignors(): Assignor[] {
    return showAll(this.registry);
  }
}

function showAll(registry: AssignorRegistry): Assignor[] {
  return registry.list().map((assignor) => showAssignor(assignor, assignor.name === DEFAULT_ASSIGNOR));
}
