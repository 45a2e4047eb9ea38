import type { CatalogStore, PartitionDetail, Topic } from '@allot/coordinator';
import { isBrokerChange, type BrokerSpec } from '@allot/planner';

/** The brokers of a cluster, and on which of them the replicas of its topics are. */
export interface Placement {
  readonly brokers: readonly BrokerSpec[];
  /** By topic; topics are missing of which that is not known of every partition. */
  readonly replicas: ReadonlyMap<string, readonly (readonly number[])[]>;
}

const PAGE = 1_000;

/** Read only for changes of brokers: other plans depend on racks alone, and must not become stale when a replica moves. */
export async function placementFor(
  store: CatalogStore,
  cluster: string,
  changes: readonly object[],
): Promise<Placement | undefined> {
  if (!changes.some(isBrokerChange)) return undefined;
  const racks = new Map<number, string | undefined>();
  const topics: Topic[] = [];
  for await (const { id, rack } of all(
    (after?: number) => store.listBrokers(cluster, { limit: PAGE, ...(after !== undefined && { after }) }),
    ({ id }) => id,
  ))
    racks.set(id, rack);
  for await (const topic of all(
    (after?: string) => store.listTopics(cluster, { limit: PAGE, ...(after !== undefined && { after }) }),
    ({ name }) => name,
  ))
    topics.push(topic);
  const replicas = new Map<string, readonly (readonly number[])[]>();
  for (const { name, details = [] } of topics) {
    if (details.length === 0 || details.some((detail) => detail.replicas.length === 0)) continue;
    replicas.set(
      name,
      details.map((detail) => detail.replicas),
    );
    for (const detail of details) addUndescribed(racks, detail);
  }
  return { brokers: [...racks].map(([id, rack]) => ({ id, ...(rack !== undefined && { rack }) })), replicas };
}

/** A broker that is not registered is there as well when a replica is on it, in the rack that the topic says. */
function addUndescribed(racks: Map<number, string | undefined>, { replicas, racks: said }: PartitionDetail): void {
  for (const [i, id] of replicas.entries()) if (!racks.has(id)) racks.set(id, said?.[i]);
}

/** The group's topics with their replicas. One that is another by now stays as the group has read it. */
export function withReplicas<T extends { readonly name: string; readonly partitions: number }>(
  topics: readonly T[],
  { replicas }: Placement,
): (T & { readonly replicas?: readonly (readonly number[])[] })[] {
  return topics.map((topic) => {
    const placed = replicas.get(topic.name);
    return placed?.length === topic.partitions ? { ...topic, replicas: placed } : topic;
  });
}

async function* all<T, K>(
  read: (after?: K) => Promise<{ readonly items: readonly T[]; readonly more: boolean }>,
  keyOf: (item: T) => K,
): AsyncGenerator<T, void, void> {
  for (let page = await read(); ; page = await read(keyOf(page.items.at(-1)!))) {
    yield* page.items;
    if (!page.more) return;
  }
}
