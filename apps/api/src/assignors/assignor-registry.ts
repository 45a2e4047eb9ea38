import { AllotError } from '@allot/model';
import { type Assignor, findAssignor, listAssignors } from '@allot/strategies';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { loadOwnAssignors, type OwnAssignors } from './load-own-assignors.js';

/** Every assignor that can be named here: Allot's own and those of the modules that the configuration names. */
export class AssignorRegistry implements OnApplicationShutdown {
  readonly #own: ReadonlyMap<string, Assignor>;

  private constructor(private readonly loaded: OwnAssignors) {
    this.#own = new Map(loaded.assignors.map((assignor) => [assignor.name, assignor]));
  }

  /** @throws StartError. */
  static async load({ assignorModules, assignorTimeoutMs }: Config): Promise<AssignorRegistry> {
    return new AssignorRegistry(await loadOwnAssignors(assignorModules, assignorTimeoutMs));
  }

  list(): readonly Assignor[] {
    return [...listAssignors(), ...this.#own.values()];
  }

  /** By wire name or alias. */
  readonly find = (nameOrAlias: string): Assignor | undefined =>
    findAssignor(nameOrAlias) ?? this.#own.get(nameOrAlias.trim());

  /** @throws AllotError UNSUPPORTED_ASSIGNOR naming the known ones. */
  readonly resolve = (nameOrAlias: string): Assignor => {
    const found = this.find(nameOrAlias);
    if (found !== undefined) return found;
    const known = this.list().map(({ name }) => name);
    const message = `There is no assignor "${nameOrAlias}". Use one of: ${known.join(', ')}, or Kafka's class name for it.`;
    throw new AllotError('UNSUPPORTED_ASSIGNOR', message, { action: 'fix-request', facts: { known } });
  };

  onApplicationShutdown(): Promise<void> {
    return this.loaded.close();
  }
}
