import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { AssignorRegistry } from '../assignors/assignor-registry.js';
import { Computing, InlineComputing } from './computing.js';

/** Makes the computing of a service from what answers on its own thread. */
export type ComputingFactory = (inline: InlineComputing) => Computing;

/** Where the planner runs. */
@Global()
@Module({})
export class ComputingModule implements OnApplicationShutdown {
  constructor(@Inject(Computing) private readonly computing: Computing) {}

  static register(make: ComputingFactory = (inline) => inline): DynamicModule {
    const computing = {
      provide: Computing,
      inject: [AssignorRegistry],
      useFactory: ({ find }: AssignorRegistry) => make(new InlineComputing(find)),
    };
    return { module: ComputingModule, providers: [computing], exports: [Computing] };
  }

  onApplicationShutdown(): Promise<void> {
    return this.computing.close();
  }
}
