import { Module } from '@nestjs/common';
import { GroupPlanner } from './group-planner.js';
import { PlansController } from './plans.controller.js';

@Module({ controllers: [PlansController], providers: [GroupPlanner] })
export class PlansModule {}
