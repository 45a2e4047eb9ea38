import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Computing } from '../computing/computing.js';
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
  constructor(private readonly computing: Computing) {}

  @Post('compare')
  @Operation({
    id: 'compareAssignors',
    summary: 'Several assignors side by side on one group',
    description: `Each is run on the group after the changes. Nothing is stored. ${WORK_DESCRIPTION}`,
    body: { type: ComparisonRequest, example: { ...GROUP, assignors: ['range', 'sticky', 'uniform'] } },
    answers: { 200: { description: 'One row an assignor.', type: ComparisonAnswer } },
    problems: PLANNING_PROBLEMS,
    deferrable: true,
  })
  compare(@Body() body: unknown): Promise<ComparisonAnswer> {
    return this.computing.answer('compare', body);
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
    deferrable: true,
  })
  rightSize(@Body() body: unknown): Promise<RightSizeAnswer> {
    return this.computing.answer('right-size', body);
  }
}
