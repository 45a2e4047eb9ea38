import { Global, Module } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { CONFIG } from '../ports.js';
import { AssignorRegistry } from './assignor-registry.js';
import { AssignorsController, AssignorsResolver } from './assignors.controller.js';

const registry = {
  provide: AssignorRegistry,
  inject: [CONFIG],
  useFactory: (config: Config) => AssignorRegistry.load(config),
};

/** The assignors that groups and plans may name. */
@Global()
@Module({ controllers: [AssignorsController], providers: [registry, AssignorsResolver], exports: [registry] })
export class AssignorsModule {}
