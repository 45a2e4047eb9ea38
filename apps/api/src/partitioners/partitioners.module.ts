import { Module } from '@nestjs/common';
import { PartitionersController } from './partitioners.controller.js';

@Module({ controllers: [PartitionersController] })
export class PartitionersModule {}
