import { Module } from '@nestjs/common';
import { TopicsController } from './topics.controller.js';
import { TopicsResolver } from './topics.resolver.js';

@Module({ controllers: [TopicsController], providers: [TopicsResolver] })
export class TopicsModule {}
