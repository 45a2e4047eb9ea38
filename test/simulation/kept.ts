import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Faults } from './faults.js';
import type { Schedule } from './schedule.js';
import { shrink } from './shrink.js';
import { simulate } from './simulation.js';

/** A schedule that once broke a promise, as small as it could be made. */
export interface Kept {
  readonly violation: string;
  /** The name of the bug that has to be put back for it; absent: it was in the service itself, and is mended. */
  readonly fault?: string;
  readonly schedule: Schedule;
}

const FOLDER = fileURLToPath(new URL('./seeds/', import.meta.url));

export function readKept(): readonly (Kept & { readonly file: string })[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
  return files.sort().map((file) => ({ file, ...(JSON.parse(readFileSync(FOLDER + file, 'utf8')) as Kept) }));
}

/** Shrinks a schedule that breaks a promise and writes it down, to be replayed by every run of the tests. */
export async function keep(name: string, schedule: Schedule, bug?: { readonly name: string; readonly faults: Faults }) {
  const smallest = await shrink(schedule, bug?.faults);
  const { violation } = await simulate(smallest, bug && { faults: bug.faults });
  const kept: Kept = { violation: violation!, ...(bug && { fault: bug.name }), schedule: smallest };
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(`${FOLDER}${name}.json`, `${JSON.stringify(kept, null, 2)}\n`);
  return kept;
}
