import { Module } from '@nestjs/common';
import { ComparisonsController } from './comparisons.controller.js';
import { ExplanationsController } from './explanations.controller.js';
import { GroupQuestionsController } from './group-questions.controller.js';
import { GroupQuestions } from './group-questions.js';
import { GroupPlanner } from './group-planner.js';
import { PlanLifecycleController } from './plan-lifecycle.controller.js';
import { PlanLifecycle } from './plan-lifecycle.js';
import { PlansController } from './plans.controller.js';
import { PlanMutationsResolver } from './plan-mutations.resolver.js';
import { ClusterPlansResolver, GroupPlansResolver, PlansResolver } from './plans.resolver.js';
import { GroupQuestionsResolver, QuestionsResolver } from './questions.resolver.js';
import { SimulationsController } from './simulations.controller.js';

@Module({
  controllers: [
    PlansController,
    PlanLifecycleController,
    ComparisonsController,
    GroupQuestionsController,
    SimulationsController,
    ExplanationsController,
  ],
  providers: [
    GroupPlanner,
    GroupQuestions,
    PlanLifecycle,
    ClusterPlansResolver,
    GroupPlansResolver,
    PlansResolver,
    PlanMutationsResolver,
    QuestionsResolver,
    GroupQuestionsResolver,
  ],
})
export class PlansModule {}
