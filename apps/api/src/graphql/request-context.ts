import type { Origin } from '@allot/coordinator';
import type DataLoader from 'dataloader';
import { ANONYMOUS } from '../http/actor.js';

/** Who asks, whichever way: an HTTP request, or an operation on a WebSocket. */
export interface Caller {
  readonly id: string;
  readonly actor?: string;
  readonly log: { error(facts: object, message: string): void; warn(facts: object, message: string): void };
}

/**
 * What resolvers share while one operation is answered, or one event of a subscription: `@Context() context: RequestContext`. A field
 * that many parents have gets its values through a DataLoader, one statement for all of them.
 */
export class RequestContext {
  // Not a #private field: NestJS hands resolvers a copy of the context, which would not have it.
  private readonly loaders = new Map<string, DataLoader<never, unknown>>();

  constructor(readonly req: Caller) {}

  /** The request's loader under `key`, which says what it loads; made on first use. */
  loader<K, V>(key: string, make: () => DataLoader<K, V>): DataLoader<K, V> {
    const known = this.loaders.get(key) as DataLoader<K, V> | undefined;
    if (known !== undefined) return known;
    const loader = make();
    this.loaders.set(key, loader as DataLoader<never, unknown>);
    return loader;
  }
}

/** What the history of a change says of the request that asked for it. */
export function originOf({ req }: Pick<RequestContext, 'req'>, reason: string | null | undefined): Origin {
  return {
    actor: req.actor ?? ANONYMOUS,
    ...(typeof reason === 'string' && reason !== '' && { reason }),
    requestId: String(req.id),
  };
}
