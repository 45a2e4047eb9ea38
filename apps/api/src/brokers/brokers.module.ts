import { Module } from '@nestjs/common';
import { BrokersController } from './brokers.controller.js';
import { BrokersResolver } from './brokers.resolver.js';

@Module({ controllers: [BrokersController], providers: [BrokersResolver] })
export class BrokersModule {}
