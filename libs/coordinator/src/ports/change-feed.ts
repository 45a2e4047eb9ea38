import type { GroupRef } from './group-store.js';

/**
 * Tells readers that a group may have a newer revision. A call is only a hint: the reader then asks the store, and must not
 * depend on being told (an implementation also polls). Hints may repeat and may come for nothing.
 */
export interface ChangeFeed {
  /** Calls `onHint` until the returned function is called. */
  watch(ref: GroupRef, onHint: () => void): () => void;
}
