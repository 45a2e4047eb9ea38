import { Module } from '@nestjs/common';
import { PlacementsController } from './placements.controller.js';

@Module({ controllers: [PlacementsController] })
export class PlacementsModule {}
