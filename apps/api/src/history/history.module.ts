import { Module } from '@nestjs/common';
import { ChangesController } from './changes.controller.js';
import { ClusterNews } from './cluster-news.js';
import { HistoryResolver } from './history.resolver.js';
import { RevisionsController } from './revisions.controller.js';

/** What groups were, and what happened to them. */
@Module({
  controllers: [RevisionsController, ChangesController],
  providers: [RevisionsController, HistoryResolver, ClusterNews],
  exports: [ClusterNews],
})
export class HistoryModule {}
