import { randomUUID } from 'node:crypto';
import { ClassicCoordinator, DEFAULT_GROUP_LIMITS, type GroupStore } from '@allot/coordinator';
import { Module } from '@nestjs/common';
import { AssignorRegistry } from '../assignors/assignor-registry.js';
import type { Config } from '../config/config.js';
import { LIMITS } from '../config/limits.js';
import { CONFIG, GROUP_STORE } from '../ports.js';
import { ClassicController } from './classic.controller.js';
import { ParkedRequests } from './parked-requests.js';

const coordinator = {
  provide: ClassicCoordinator,
  inject: [GROUP_STORE, CONFIG, AssignorRegistry],
  useFactory: (store: GroupStore, { minSessionTimeoutMs }: Config, assignors: AssignorRegistry) =>
    new ClassicCoordinator({
      store,
      newMemberId: randomUUID,
      resolveAssignor: assignors.resolve,
      limits: { ...DEFAULT_GROUP_LIMITS, minSessionTimeoutMs, maxSize: LIMITS.groupSize },
    }),
};

/** Groups of type classic: what their members send. Reading, changing and deleting them is as for any group. */
@Module({ controllers: [ClassicController], providers: [coordinator, ParkedRequests] })
export class ClassicModule {}
