import type { AssignmentJson, OwnerChange } from '@allot/model';
import { compareText } from '@allot/model';
import type { PlanJson } from '../plan-to-json.js';

/**
 * Every partition that has an owner before or after the plan, with both owners, by topic (code units) and number; null is
 * nobody. Where nothing changes, `from` and `to` are the same.
 */
export function planOwners({ current, target }: Pick<PlanJson, 'current' | 'target'>): OwnerChange[] {
  const before = ownersOf(current);
  const after = ownersOf(target);
  const owners: OwnerChange[] = [];
  for (const topic of [...new Set([...before.keys(), ...after.keys()])].sort(compareText)) {
    const [was, is] = [before.get(topic), after.get(topic)];
    const partitions = new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])]);
    for (const partition of [...partitions].sort((a, b) => a - b)) {
      owners.push({ topic, partition, from: was?.get(partition) ?? null, to: is?.get(partition) ?? null });
    }
  }
  return owners;
}

function ownersOf(group: Readonly<Record<string, AssignmentJson>>): Map<string, Map<number, string>> {
  const owners = new Map<string, Map<number, string>>();
  for (const member of Object.keys(group)) {
    const assignment = group[member]!;
    for (const topic of Object.keys(assignment)) {
      let partitions = owners.get(topic);
      if (partitions === undefined) owners.set(topic, (partitions = new Map()));
      for (const partition of assignment[topic]!) partitions.set(partition, member);
    }
  }
  return owners;
}
