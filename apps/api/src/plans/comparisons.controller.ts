import { compare, comparisonFromJson, rightSize, rightSizeFromJson } from '@allot/planner';
import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AssignorRegistry } from '../assignors/assignor-registry.js';
import { Operation } from '../contracts/operation.js';
import {
  ComparisonAnswer,
  ComparisonRequest,
  RightSizeAnswer,
  RightSizeRequest,
  WORK_DESCRIPTION,
} from './plan-comparison.contract.js';
import { PLANNING_PROBLEMS } from './planning-problems.js';

const GROUP = {
  assignor: 'range',
  topics: [{ name: 'orders', partitions: 10 }],
  members: ['c1', 'c2', 'c3'].map((id) => ({ id, topics: ['orders'] })),
};

@ApiTags('plans')
@Controller('v1/plans')
export class ComparisonsController {
  constructor(private readonly assignors: AssignorRegistry) {}

  @Post('compare')
  @Operation({
    id: 'compareAssignors',
    summary: 'Several assignors side by side on one group',
    description: `Each is run on the group after the changes. Nothing is stored. ${WORK_DESCRIPTION}`,
    body: { type: ComparisonRequest, example: { ...GROUP, assignors: ['range', 'sticky', 'uniform'] } },
    answers: { 200: { description: 'One row an assignor.', type: ComparisonAnswer } },
    problems: PLANNING_PROBLEMS,
  })
  compare(@Body() body: unknown): ComparisonAnswer {
    const { input, assignors } = comparisonFromJson(body);
    return { rows: compare(input, assignors, this.assignors.find) };
  }

  @Post('right-size')
  @Operation({
    id: 'rightSizeGroup',
    summary: 'The numbers of members that really help',
    description:
      'Each number is tried with the real assignor on a group that starts from nothing, with the first members of the group and then ' +
      `more like them. Nothing is stored. ${WORK_DESCRIPTION}`,
    body: { type: RightSizeRequest, example: GROUP },
    answers: { 200: { description: 'Numbers of members, and what the busiest one then has.', type: RightSizeAnswer } },
    problems: PLANNING_PROBLEMS,
  })
  rightSize(@Body() body: unknown): RightSizeAnswer {
    const { input, upTo } = rightSizeFromJson(body);
    return rightSize(input, upTo, this.assignors.find);
  }
}
