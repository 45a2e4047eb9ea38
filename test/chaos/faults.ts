import type { ReplicaProcess } from './processes.js';
import { SESSION_MS, sleep, type World } from './world.js';

/** Something that goes wrong; resolves when it is over. False: it could not happen now. */
export type Fault = (world: World) => Promise<boolean>;

export const FAULTS: readonly (readonly [name: string, fault: Fault])[] = [
  [
    'a replica is killed and restarted',
    onReplica(async (replica, { random }) => {
      await replica.kill();
      await sleep(random() * 1_000);
      await replica.start();
    }),
  ],
  [
    'a replica freezes for a while',
    onReplica(async (replica, { random }) => {
      replica.pause();
      await sleep(500 + random() * SESSION_MS);
      replica.resume();
    }),
  ],
  ["a replica's wall clock jumps by a quarter of an hour", onReplica(async (replica) => replica.moveClock())],
  ["a replica's connections to the database are cut", onNetwork(async (proxy) => proxy.cut())],
  [
    "a replica's connections to the database go half open",
    onNetwork(async (proxy, { random }) => {
      proxy.freeze();
      await sleep(1_000 + random() * 3_000);
      proxy.cut();
    }),
  ],
  [
    'the database carries out what it is asked, and the answers are lost',
    onNetwork(async (proxy) => {
      proxy.loseAnswers(5);
      await sleep(1_000);
      proxy.loseAnswers(0);
    }),
  ],
  [
    'the way to the database is slow',
    onNetwork(async (proxy, { random }) => {
      proxy.slowDown(20 + random() * 80);
      await sleep(2_000);
      proxy.slowDown(0);
    }),
  ],
  ['the database restarts', onDatabase('restart')],
  ['the database crashes and recovers', onDatabase('crash')],
  [
    'a host of workers is killed and replaced, with the same instance ids',
    async (world) => {
      const index = Math.floor(world.random() * world.hosts.length);
      const old = world.hosts[index]!;
      world.hosts[index] = world.newHost(index);
      await old.kill();
      return true;
    },
  ],
  [
    'a host of workers freezes, for longer than its session half of the time',
    async (world) => {
      const host = world.pick(world.hosts);
      host.pause();
      await sleep(world.random() * 2 * SESSION_MS);
      host.resume();
      return true;
    },
  ],
  ['workers crash', onWorkers('crash')],
  ['workers leave', onWorkers('leave')],
  ['static workers restart', onWorkers('restart')],
  [
    'a topic grows',
    async (world) => {
      const group = world.pick(world.groups);
      const partitions = group.partitions + 3;
      // Acknowledged means kept: only then the larger count is expected at the end.
      const grown = await world.call('PUT', `/topics/${group.topic}`, { partitions }).catch(() => undefined);
      if (grown !== undefined) group.partitions = partitions;
      return true;
    },
  ],
  [
    'a group gets another assignor',
    async (world) => {
      const assignor = world.pick(['range', 'sticky', 'cooperative-sticky', 'uniform']);
      const group = world.pick(world.groups.filter(({ settings }) => settings['type'] !== 'classic'));
      await world.call('PUT', `/groups/${group.id}`, { assignor }).catch(() => undefined);
      return true;
    },
  ],
];

/** A fault of a replica that is not already in trouble, while another one is left to serve. */
function onReplica(fault: (replica: ReplicaProcess, world: World) => Promise<void>): Fault {
  return async (world) => {
    const free = world.replicas.filter((replica) => !world.busy.has(replica));
    if (free.length < 2) return false;
    const replica = world.pick(free);
    world.busy.add(replica);
    await fault(replica, world).finally(() => world.busy.delete(replica));
    return true;
  };
}

function onNetwork(fault: (proxy: World['proxies'][number], world: World) => Promise<void>): Fault {
  return onReplica((replica, world) => fault(world.proxies[world.replicas.indexOf(replica)]!, world));
}

/** Hits every replica at once, so none may be in trouble of its own. */
function onDatabase(command: 'restart' | 'crash'): Fault {
  return async (world) => {
    if (world.busy.size > 0) return false;
    for (const replica of world.replicas) world.busy.add(replica);
    await world.database.command(command).finally(() => world.busy.clear());
    return true;
  };
}

function onWorkers(command: 'crash' | 'leave' | 'restart'): Fault {
  return async (world) => {
    for (let i = 0; i < 5; i++) world.pick(world.hosts).command(command);
    return true;
  };
}
