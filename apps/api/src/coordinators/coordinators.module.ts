import { Module } from '@nestjs/common';
import { CoordinatorsController } from './coordinators.controller.js';

@Module({ controllers: [CoordinatorsController] })
export class CoordinatorsModule {}
