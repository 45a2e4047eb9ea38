import { Module } from '@nestjs/common';
import { TopicsController } from './topics.controller.js';
import { TopicPartitionsResolver, TopicsResolver } from './topics.resolver.js';

@Module({ controllers: [TopicsController], providers: [TopicsResolver, TopicPartitionsResolver] })
export class TopicsModule {}
