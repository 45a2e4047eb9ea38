import { Module } from '@nestjs/common';
import { CoordinatorsController } from './coordinators.controller.js';
import { CoordinatorsResolver } from './coordinators.resolver.js';

@Module({ controllers: [CoordinatorsController], providers: [CoordinatorsController, CoordinatorsResolver] })
export class CoordinatorsModule {}
