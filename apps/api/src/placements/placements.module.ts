import { Module } from '@nestjs/common';
import { PlacementsController } from './placements.controller.js';
import { PlacementsResolver } from './placements.resolver.js';

@Module({ controllers: [PlacementsController], providers: [PlacementsController, PlacementsResolver] })
export class PlacementsModule {}
