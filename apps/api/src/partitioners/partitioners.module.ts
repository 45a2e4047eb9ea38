import { Module } from '@nestjs/common';
import { PartitionersController } from './partitioners.controller.js';
import { PartitionersResolver } from './partitioners.resolver.js';

@Module({ controllers: [PartitionersController], providers: [PartitionersController, PartitionersResolver] })
export class PartitionersModule {}
