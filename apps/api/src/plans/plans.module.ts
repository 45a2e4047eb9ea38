import { Module } from '@nestjs/common';
import { GroupPlanner } from './group-planner.js';
import { PlansController } from './plans.controller.js';
import { GroupPlansResolver, PlansResolver } from './plans.resolver.js';

@Module({ controllers: [PlansController], providers: [GroupPlanner, GroupPlansResolver, PlansResolver] })
export class PlansModule {}
