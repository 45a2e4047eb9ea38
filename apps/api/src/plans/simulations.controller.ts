import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Computing } from '../computing/computing.js';
import { Operation } from '../contracts/operation.js';
import { WORK_DESCRIPTION } from './plan-comparison.contract.js';
import { PLANNING_PROBLEMS } from './planning-problems.js';
import { RecommendationsAnswer, SimulationAnswer, SimulationRequest } from './simulation.contract.js';

const DEPLOY = {
  assignor: 'sticky',
  topics: [{ name: 'orders', partitions: 12 }],
  members: ['c1', 'c2', 'c3', 'c4'].map((id) => ({ id, topics: ['orders'] })),
  steps: [{ rollingRestart: { batchSize: 1 } }],
};

@ApiTags('plans')
@Controller('v1/simulations')
export class SimulationsController {
  constructor(private readonly computing: Computing) {}

  @Post()
  @Operation({
    id: 'simulate',
    summary: 'What a sequence of events costs: deployments, crashes, growth',
    description:
      'The assignor is run at every rebalance, and members then own what it gave them. Static members that are back within the session ' +
      `timeout cause none. Nothing is stored. ${WORK_DESCRIPTION}`,
    body: { type: SimulationRequest, example: DEPLOY },
    answers: { 200: { description: 'The cost of each event, each step and the whole.', type: SimulationAnswer } },
    problems: PLANNING_PROBLEMS,
    deferrable: true,
  })
  simulate(@Body() body: unknown): Promise<SimulationAnswer> {
    return this.computing.answer('simulate', body);
  }

  @Post('recommend')
  @Operation({
    id: 'recommendSettings',
    summary: 'Settings that make a sequence of events cheaper',
    description:
      'The sequence is played as it is and again with each setting that applies; those that save something are answered with what they ' +
      `saved here. Nothing is stored. ${WORK_DESCRIPTION}`,
    body: { type: SimulationRequest, example: DEPLOY },
    answers: { 200: { description: 'Settings with their measured gain.', type: RecommendationsAnswer } },
    problems: PLANNING_PROBLEMS,
    deferrable: true,
  })
  recommend(@Body() body: unknown): Promise<RecommendationsAnswer> {
    return this.computing.answer('recommend', body);
  }
}
