import type { TestedGroup, World } from './world.js';
import { SESSION_MS, sleep } from './world.js';

interface GroupNow {
  readonly state: string;
  readonly revision: number;
  readonly members: readonly { readonly current: Record<string, number[]> }[];
  readonly unowned: Record<string, number[]>;
}

/** How long a group may take from the last fault to being STABLE with everything given out. */
const CALM_MS = 2 * SESSION_MS;
/** Beyond this a group that is not STABLE is called stuck. */
const PATIENCE_MS = 10 * SESSION_MS;

/**
 * Waits until every group is stable with every worker in it; answers how long that took, undefined when it did not happen. Says when
 * each group was there for the first time.
 */
export async function untilStable(world: World): Promise<number | undefined> {
  const started = Date.now();
  const seen = new Set<string>();
  while (Date.now() - started < PATIENCE_MS) {
    const calm = await Promise.all(world.groups.map((group) => isCalm(world, group).catch(() => false)));
    const passed = Date.now() - started;
    for (const [i, { id }] of world.groups.entries()) {
      if (calm[i] !== true || seen.has(id)) continue;
      seen.add(id);
      console.log(`  ${id} is stable after ${(passed / 1000).toFixed(1)} s`);
    }
    if (calm.every(Boolean)) return passed;
    await sleep(200);
  }
  return undefined;
}

async function isCalm(world: World, group: TestedGroup): Promise<boolean> {
  const { state, members, unowned } = await readGroup(world, group);
  return state === 'STABLE' && members.length === group.members && Object.keys(unowned).length === 0;
}

function readGroup(world: World, { id }: TestedGroup): Promise<GroupNow> {
  return world.call<GroupNow>('GET', `/groups/${id}`);
}

/** Everything that did not hold, in words. */
export async function findFaults(world: World, calmMs: number | undefined): Promise<string[]> {
  const { log } = world;
  const broken: string[] = [];
  const overlaps = log.overlaps();
  for (const { partition, a, b } of overlaps.slice(0, 5)) {
    broken.push(`${partition}: ${a.member} until ${a.to.toFixed(1)} and ${b.member} from ${b.from.toFixed(1)}`);
  }
  if (overlaps.length > 0) broken.push(`${overlaps.length} times two members worked on one partition`);
  const stale = log.staleWrites();
  if (stale.length > 0) broken.push(`${stale.length} stale writes were allowed; ${stale[0]}`);
  broken.push(...log.regressions().slice(0, 5));
  if (calmMs === undefined) broken.push(`not every group was stable ${PATIENCE_MS / 1000} s after the last fault`);
  else if (calmMs > CALM_MS) broken.push(`it took ${calmMs / 1000} s to be stable, more than two sessions`);
  for (const group of world.groups) broken.push(...(await findLosses(world, group)));
  return broken;
}

/** Acknowledged changes that are gone. */
async function findLosses(world: World, group: TestedGroup): Promise<string[]> {
  const { members, revision, state } = await readGroup(world, group);
  const { id, topic, partitions } = group;
  const owned = members.reduce((sum, { current }) => sum + (current[topic]?.length ?? 0), 0);
  const told = world.log.highestRevision(topic);
  return [
    ...(owned === partitions ? [] : [`${id} (${state}): ${owned} of ${partitions} partitions are owned`]),
    ...(members.length === group.members ? [] : [`${id}: ${members.length} of ${group.members} members`]),
    ...(revision >= told ? [] : [`${id}: revision ${told}, of which a worker was told, is gone; it is at ${revision}`]),
  ];
}
