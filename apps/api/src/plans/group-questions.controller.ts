import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Operation } from '../contracts/operation.js';
import { ClusterName, GroupId } from '../http/path-names.js';
import { GroupQuestions } from './group-questions.js';
import {
  ComparisonAnswer,
  GroupComparisonRequest,
  GroupRightSizeRequest,
  RightSizeAnswer,
  WORK_DESCRIPTION,
} from './plan-comparison.contract.js';
import { PLANNING_PROBLEMS } from './planning-problems.js';
import { GroupSimulationRequest, RecommendationsAnswer, SimulationAnswer } from './simulation.contract.js';

const AS_IT_IS = `The group is taken as it is now, and not touched. Nothing is stored. ${WORK_DESCRIPTION}`;
const DEPLOY = { steps: [{ rollingRestart: { batchSize: 1 } }] };
const asked = {
  path: ['cluster', 'group'] as const,
  problems: ['CLUSTER_NOT_FOUND', 'GROUP_ID_NOT_FOUND', ...PLANNING_PROBLEMS],
  deferrable: true,
};

@ApiTags('plans')
@Controller('v1/clusters/:cluster/groups/:group')
export class GroupQuestionsController {
  constructor(private readonly questions: GroupQuestions) {}

  @Post('plans/compare')
  @Operation({
    id: 'compareGroupAssignors',
    summary: 'Several assignors side by side on a stored group',
    description: `Each is run on the group after the changes. ${AS_IT_IS}`,
    body: { type: GroupComparisonRequest, example: { assignors: ['range', 'sticky', 'uniform'] } },
    answers: { 200: { description: 'One row an assignor.', type: ComparisonAnswer } },
    ...asked,
  })
  compare(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @Body() body: unknown,
  ): Promise<ComparisonAnswer> {
    return this.questions.compare({ cluster, groupId }, body);
  }

  @Post('plans/right-size')
  @Operation({
    id: 'rightSizeStoredGroup',
    summary: 'The numbers of members that really help a stored group',
    description: AS_IT_IS,
    body: { type: GroupRightSizeRequest, example: { upTo: 40 }, required: false },
    answers: { 200: { description: 'Numbers of members, and what the busiest one then has.', type: RightSizeAnswer } },
    ...asked,
  })
  rightSize(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @Body() body: unknown,
  ): Promise<RightSizeAnswer> {
    return this.questions.rightSize({ cluster, groupId }, body);
  }

  @Post('simulations')
  @Operation({
    id: 'simulateGroup',
    summary: 'What a sequence of events costs a stored group',
    description: `The assignor is run at every rebalance, and members then own what it gave them. ${AS_IT_IS}`,
    body: { type: GroupSimulationRequest, example: DEPLOY },
    answers: { 200: { description: 'The cost of each event, each step and the whole.', type: SimulationAnswer } },
    ...asked,
  })
  simulate(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @Body() body: unknown,
  ): Promise<SimulationAnswer> {
    return this.questions.simulate({ cluster, groupId }, body);
  }

  @Post('simulations/recommend')
  @Operation({
    id: 'recommendGroupSettings',
    summary: 'Settings that make a sequence of events cheaper for a stored group',
    description: `The sequence is played as it is and again with each setting that applies. ${AS_IT_IS}`,
    body: { type: GroupSimulationRequest, example: DEPLOY },
    answers: { 200: { description: 'Settings with their measured gain.', type: RecommendationsAnswer } },
    ...asked,
  })
  recommend(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @Body() body: unknown,
  ): Promise<RecommendationsAnswer> {
    return this.questions.recommend({ cluster, groupId }, body);
  }
}
