import type {
  ClassicGroup,
  GroupStore,
  GroupView,
  HeartbeatCommand,
  LeaseRenewal,
  ResolveAssignor,
} from '../../libs/coordinator/src/index.js';
import { asConsumerGroup, DEFAULT_GROUP_SETTINGS } from '../../libs/coordinator/src/index.js';
import type { ClassicRequest, Request } from './replica.js';
import type { MemoryDatabase } from '../../libs/coordinator/test/support/memory-group-store.js';
import { beatWith, forgetsHolders, refusesRejoin, type Beat } from '../../libs/coordinator/test/support/mutants.js';

/** Rules of docs/workers.md that a worker does not keep. */
export interface WorkerFaults {
  /** Counts its time from the arrival of an answer, not from when it asked. */
  readonly countsFromArrival?: boolean;
  /** Takes its own clock for the store's. */
  readonly trustsItsClock?: boolean;
}

/** What members of a classic group send. */
export type FromClassicMember = ClassicRequest | (Request & { readonly kind: 'leave' });

/** Bugs that are put into the service or its workers, to see that the simulator finds them. */
export interface Faults {
  readonly worker?: WorkerFaults;
  /** Fences members although the store was away. */
  readonly noGrace?: boolean;
  /** A replica's store, with a fault of its own. */
  readonly store?: (store: GroupStore, database: MemoryDatabase) => GroupStore;
  /** Another request takes the place of that of a classic member. */
  readonly classicRequest?: (request: FromClassicMember, group: ClassicGroup | undefined) => FromClassicMember;
  /** The store of one heartbeat: in it a faulty step takes the place of the right one. */
  readonly step?: (store: GroupStore, command: HeartbeatCommand, resolveAssignor: ResolveAssignor) => GroupStore;
}

export const NO_FAULTS: Faults = {};

export interface Mutant {
  readonly name: string;
  readonly faults: Faults;
  /** What the simulator says when it meets the bug. */
  readonly found: RegExp;
  /** Of the group that has it; consumer when absent. */
  readonly protocol?: 'classic';
}

/** The store with other methods. Its own are bound: they keep their private state. */
export function override(store: GroupStore, methods: Partial<GroupStore>): GroupStore {
  return new Proxy(store, {
    get: (target, name: keyof GroupStore) => methods[name] ?? (target[name] as () => unknown).bind(target),
  });
}

/** Every heartbeat that is a step is a step of `beat`. */
function stepsOf(beat: Beat): Faults {
  return {
    step: (store, command, resolveAssignor) =>
      override(store, {
        transact: (ref, _right, options) =>
          store.transact(
            ref,
            ({ group: before, now, catalog, lastRevision }) => {
              const context = { now, catalog, lastRevision, resolveAssignor, origin: { actor: 'simulation' } };
              const step = beat(asConsumerGroup(before), command, DEFAULT_GROUP_SETTINGS, context);
              const { group, change, refusal } = step;
              const renewed = refusal === undefined ? [command.memberId] : [];
              return { group, ...(change && { change }), renewed, reply: refusal as never };
            },
            options,
          ),
      }),
  };
}

/** A view of the group in which time has gone further than it has. */
function ahead(view: GroupView, database: MemoryDatabase, ms: number): GroupView {
  const now = view.now + ms;
  const leases = database.row({ cluster: 'default', groupId: 'g' })?.leases ?? new Map<string, number>();
  const expired = new Set([...leases].filter(([, until]) => until <= now).map(([memberId]) => memberId));
  return { ...view, now, expired };
}

export const CONSUMER_MUTANTS: readonly Mutant[] = [
  {
    name: 'E-02 tells the raw target',
    faults: stepsOf(beatWith({ rawTarget: true })),
    found: /two owners|is held by|R8/,
  },
  {
    name: 'E-01 KAFKA-16147 forgets who took a partition back',
    faults: stepsOf(forgetsHolders()),
    found: /two owners|is held by/,
  },
  {
    name: 'E-04 KAFKA-19233 refuses to let a member start over',
    faults: stepsOf(refusesRejoin),
    found: /cannot get in/,
  },
  {
    name: 'KAFKA-19449 takes its own pending revocation for another’s',
    faults: stepsOf(beatWith({ ownPendingIsForeign: true })),
    found: /waits for partitions that nobody else holds/,
  },
  {
    name: 'KAFKA-19974 leaves UNREVOKED at an epoch of its own',
    faults: stepsOf(beatWith({ epochOfItsOwn: true })),
    found: /is at an epoch of its own/,
  },
  {
    name: 'KAFKA-19431 keeps what it does not subscribe to until there is a target',
    faults: stepsOf(beatWith({ keepsUnsubscribed: true })),
    found: /which it does not subscribe to/,
  },
  {
    name: 'KIP-1251 stamps what is kept anew',
    faults: stepsOf(beatWith({ restamps: true })),
    found: /has the epoch|is refused/,
  },
  {
    name: 'KIP-1251 gives what is taken back its old epoch',
    faults: stepsOf(beatWith({ keepsOldEpoch: true })),
    found: /has the epoch|stale claim/,
  },
  { name: 'takes an absent list for an empty one', faults: stepsOf(beatWith({ absentIsNothing: true })), found: /R8/ },
  { name: 'believes a heartbeat that arrives late', faults: stepsOf(beatWith({ trustsLate: true })), found: /R8/ },
  {
    name: 'forgets that it told a member again what that had let go of',
    faults: stepsOf(beatWith({ forgetsWhatItTells: true })),
    found: /R8/,
  },
  { name: 'revokes without waiting', faults: stepsOf(beatWith({ takesAtOnce: true })), found: /R8/ },
  {
    name: 'ends the rebalance timer while an earlier answer holds',
    faults: stepsOf(beatWith({ shortTimer: true })),
    found: /R8|is refused/,
  },
  {
    name: 'renews by what is in memory, however old',
    faults: {
      store: (store, database) =>
        override(store, {
          renewLease: async (ref, memberId) => {
            const known = store.cached(ref);
            const renewal = database.renew(ref, memberId, () => true);
            return renewal && known && { ...renewal, revision: known.revision };
          },
        }),
    },
    found: /./,
  },
  {
    name: 'promises a lease that is not written yet',
    faults: {
      store: (store, database) =>
        override(store, {
          renewLease: async (ref, memberId, memberEpoch): Promise<LeaseRenewal | undefined> => {
            const row = database.row(ref);
            const member = asConsumerGroup(row?.group)?.members.get(memberId);
            if (member?.state !== 'STABLE' || member.memberEpoch !== memberEpoch) return undefined;
            const now = database.options.now();
            return { now, leaseUntil: now + row!.group.settings.sessionTimeoutMs, revision: row!.group.revision };
          },
        }),
    },
    found: /more than its lease/,
  },
  {
    name: 'never ends a session',
    faults: {
      store: (store) =>
        override(store, {
          findExpired: async () => [],
          transact: (ref, step, options) =>
            store.transact(ref, (view) => step({ ...view, expired: new Set() }), options),
        }),
    },
    found: /does not settle/,
  },
  {
    name: 'ends sessions by the clock of a replica that is half a second fast',
    faults: {
      store: (store, database) =>
        override(store, {
          findExpired: async () => [{ ref: { cluster: 'default', groupId: 'g' } }],
          transact: (ref, step, options) => store.transact(ref, (view) => step(ahead(view, database, 500)), options),
        }),
    },
    found: /R8|is refused/,
  },
  {
    name: 'fences members although the store was away',
    faults: { noGrace: true },
    found: /although the store was away/,
  },
  {
    name: 'decides outside of the group’s lock, on what is in memory',
    faults: {
      store: (store) =>
        override(store, {
          transact: (ref, step, options) =>
            store.transact(ref, (view) => step({ ...view, group: store.cached(ref) ?? view.group }), options),
        }),
    },
    found: /revision after|lost update/,
  },
  {
    name: 'writes a history that leaves a member out',
    faults: {
      store: (store) =>
        override(store, {
          transact: (ref, step, options) =>
            store.transact(
              ref,
              (view) => {
                const done = step(view);
                const { change } = done;
                return change === undefined || change.members.length < 2
                  ? done
                  : { ...done, change: { ...change, members: change.members.slice(1) } };
              },
              options,
            ),
        }),
    },
    found: /does not tell all of it/,
  },
  {
    name: 'a worker that counts its time from the arrival of the answer',
    faults: { worker: { countsFromArrival: true } },
    found: /R8|is refused/,
  },
  { name: 'a worker that trusts its own clock', faults: { worker: { trustsItsClock: true } }, found: /R8|is refused/ },
];
