import { randomUUID } from 'node:crypto';
import { DEFAULT_GROUP_LIMITS, GroupCoordinator, type GroupStore } from '@allot/coordinator';
import { Global, Module } from '@nestjs/common';
import { AssignorRegistry } from '../assignors/assignor-registry.js';
import type { Config } from '../config/config.js';
import { LIMITS } from '../config/limits.js';
import { CONFIG, GROUP_STORE } from '../ports.js';
import { GroupTails } from '../streams/group-tails.js';
import { StreamHub } from '../streams/stream-hub.js';
import { AssignmentController } from './assignment.controller.js';
import { CatalogChanges } from './catalog-changes.js';
import { DrainMutationsResolver } from './drain-mutations.resolver.js';
import { DrainsController } from './drains.controller.js';
import { EventsController } from './events.controller.js';
import { GroupsController } from './groups.controller.js';
import { ClusterGroupsResolver, GroupFactsResolver, GroupsResolver, MembersResolver } from './groups.resolver.js';
import { GroupMutationsResolver } from './group-mutations.resolver.js';
import { GroupPartitionsResolver } from './group-partitions.resolver.js';
import { MembersController } from './members.controller.js';
import { OwnershipController } from './ownership.controller.js';
import { RebalancesController } from './rebalances.controller.js';
import { GroupEventsResolver } from './group-events.resolver.js';
import { GroupRebalancesResolver } from './rebalances.resolver.js';
import { Sweeper } from './sweeper.js';

const coordinator = {
  provide: GroupCoordinator,
  inject: [GROUP_STORE, CONFIG, AssignorRegistry],
  useFactory: (store: GroupStore, { minSessionTimeoutMs }: Config, assignors: AssignorRegistry) =>
    new GroupCoordinator({
      store,
      newMemberId: randomUUID,
      resolveAssignor: assignors.resolve,
      limits: { ...DEFAULT_GROUP_LIMITS, minSessionTimeoutMs, maxSize: LIMITS.groupSize },
    }),
};

/** Groups: the protocol of their members, reading and streaming. Exports what other features do with groups. */
@Global()
@Module({
  controllers: [
    GroupsController,
    MembersController,
    DrainsController,
    AssignmentController,
    EventsController,
    OwnershipController,
    RebalancesController,
  ],
  providers: [
    coordinator,
    CatalogChanges,
    GroupTails,
    StreamHub,
    Sweeper,
    ClusterGroupsResolver,
    GroupsResolver,
    GroupRebalancesResolver,
    GroupEventsResolver,
    GroupFactsResolver,
    GroupPartitionsResolver,
    GroupMutationsResolver,
    DrainMutationsResolver,
    MembersResolver,
  ],
  exports: [coordinator, CatalogChanges],
})
export class GroupsModule {}
