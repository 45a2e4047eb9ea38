import { Module } from '@nestjs/common';
import { HistoryModule } from '../history/history.module.js';
import { DashboardEventsResolver } from './dashboard-events.resolver.js';
import {
  BusyGroupResolver,
  ClusterDashboardResolver,
  ClusterRebalanceResolver,
  GroupActivityResolver,
  OverviewResolver,
  RebalanceChangeResolver,
} from './dashboard.resolver.js';

/** What a dashboard shows of a cluster beyond its lists: numbers, activity, and both as they change. GraphQL alone. */
@Module({
  imports: [HistoryModule],
  providers: [
    BusyGroupResolver,
    ClusterDashboardResolver,
    ClusterRebalanceResolver,
    DashboardEventsResolver,
    GroupActivityResolver,
    OverviewResolver,
    RebalanceChangeResolver,
  ],
})
export class DashboardModule {}
