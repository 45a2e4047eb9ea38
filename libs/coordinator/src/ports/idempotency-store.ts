/** The stored answer of a request. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: unknown;
}

/**
 * `begun`: the caller runs the request, then calls `finish` or `abandon`. `replay`: the same request was answered before, and begun
 * `ageMs` ago by the database's clock.
 * `in-flight`: the same request is being run. `mismatch`: the key was used for another request.
 */
export type IdempotencyOutcome =
  | { readonly kind: 'begun' }
  | { readonly kind: 'replay'; readonly response: StoredResponse; readonly ageMs: number }
  | { readonly kind: 'in-flight' }
  | { readonly kind: 'mismatch' };

export interface IdempotencyKey {
  readonly principal: string;
  readonly key: string;
}

export interface IdempotencyStore {
  /**
   * Claims a key. A claim that was neither finished nor abandoned within `claimMs` by the database's clock (the replica died) may
   * be claimed again.
   */
  begin(id: IdempotencyKey, requestHash: string, claimMs: number): Promise<IdempotencyOutcome>;
  /** Stores the answer and keeps it for `keepMs`. */
  finish(id: IdempotencyKey, requestHash: string, response: StoredResponse, keepMs: number): Promise<void>;
  /** Frees a key whose request changed nothing, such as one that was refused as overload. */
  abandon(id: IdempotencyKey, requestHash: string): Promise<void>;
}
