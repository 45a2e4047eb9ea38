import type DataLoader from 'dataloader';
import type { FastifyRequest } from 'fastify';

/**
 * What resolvers share during one GraphQL request: `@Context() context: RequestContext`. A field that many parents have gets
 * its values through a DataLoader, one statement for all of them.
 */
export class RequestContext {
  // Not a #private field: NestJS hands resolvers a copy of the context, which would not have it.
  private readonly loaders = new Map<string, DataLoader<never, unknown>>();

  constructor(readonly req: FastifyRequest) {}

  /** The request's loader under `key`, which says what it loads; made on first use. */
  loader<K, V>(key: string, make: () => DataLoader<K, V>): DataLoader<K, V> {
    const known = this.loaders.get(key) as DataLoader<K, V> | undefined;
    if (known !== undefined) return known;
    const loader = make();
    this.loaders.set(key, loader as DataLoader<never, unknown>);
    return loader;
  }
}
