import type { AssignmentJson } from '@allot/model';

/** A group that gets no new target until somebody, or in an automatic freeze everybody, says so. */
export interface Freeze {
  readonly by: 'operator' | 'auto-freeze';
  /** Database time, ms since 1970. */
  readonly since: number;
  readonly reason?: string;
  /** How many members an automatic freeze waits for: as many as the group had. */
  readonly members?: number;
}

/** A member that is gone, by its instance id or else its member id, and since when. */
export interface Departure {
  readonly member: string;
  readonly at: number;
}

/** A partition that a later target gives to a member. */
export interface DeferredMove {
  readonly topic: string;
  readonly partition: number;
  readonly to: string;
}

/** When a partition was last given to another member. */
export interface RecentMove {
  readonly topic: string;
  readonly partition: number;
  readonly at: number;
}

/**
 * What a group remembers from one step to the next so as to keep calm. It is a JSON value, stored as it is; what there is nothing to
 * remember of is absent.
 */
export interface Calm {
  readonly freeze?: Freeze;
  /** Who vanished within the last session timeout; kept while the group may freeze itself. */
  readonly departures?: readonly Departure[];
  /** The parts of the target that belong to members that left since it was computed, by `identityOf`. */
  readonly vacated?: readonly (readonly [member: string, target: AssignmentJson])[];
  /** What the move budget left for later targets. */
  readonly deferred?: readonly DeferredMove[];
  /** What cools down. */
  readonly recentMoves?: readonly RecentMove[];
  /** Since when the assignor has been failing. */
  readonly faultSince?: number;
  /** Member ids that lost their instance id to another process: [member id, instance id], the newest last. */
  readonly fenced?: readonly (readonly [memberId: string, instanceId: string])[];
  /** When a conflict about an instance id was last recorded. */
  readonly conflicts?: readonly (readonly [instanceId: string, at: number])[];
  /** Until when members may rely on answers from before the session timeout was shortened. */
  readonly promisedUntil?: number;
  /** What manual members let go since the target was computed: nobody gets it at the same epoch again (invariant B). */
  readonly released?: AssignmentJson;
}

/** The same memory with other entries; entries that are undefined or empty lists go. */
export function remember(calm: Calm | undefined, entries: { readonly [K in keyof Calm]: Calm[K] | undefined }) {
  const next: Record<string, unknown> = { ...calm, ...entries };
  for (const [key, value] of Object.entries(next)) {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) delete next[key];
  }
  return Object.keys(next).length === 0 ? undefined : (next as Calm);
}

/** Under which name a member is expected back: a static one returns under another member id. */
export function identityOf({ instanceId, memberId }: { readonly instanceId?: string; readonly memberId: string }) {
  return instanceId ?? memberId;
}

/** What a group forgets when it gets a target, whoever made it. */
export const OUTDATED_BY_TARGET = {
  vacated: undefined,
  released: undefined,
  deferred: undefined,
  faultSince: undefined,
} as const satisfies Partial<Record<keyof Calm, undefined>>;

/**
 * Until when, at most, a member may rely on an answer that it had before now: for a session from then on, or for the longer one that
 * sessions were before the setting changed. Nothing that it does not hear of may take its partitions away before that.
 */
export function reliesUntil(
  { settings, calm }: { readonly settings: { readonly sessionTimeoutMs: number }; readonly calm?: Calm },
  now: number,
): number {
  return Math.max(now + settings.sessionTimeoutMs, calm?.promisedUntil ?? 0);
}
