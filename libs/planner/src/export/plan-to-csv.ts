import type { PlanJson } from '../plan-to-json.js';
import { toCsv } from './csv.js';
import { planOwners } from './plan-owners.js';

/**
 * A plan as CSV: one record a partition with its owner before and after, those that stay included, so that the file is the
 * whole assignment. An empty cell is nobody.
 */
export function planToCsv(plan: Pick<PlanJson, 'current' | 'target'>): string {
  const rows = planOwners(plan).map(({ topic, partition, from, to }) => [topic, partition, from, to]);
  return toCsv(['topic', 'partition', 'from', 'to'], rows);
}
