import { resolve } from 'node:path';
import { type Assignor, findAssignor } from '@allot/strategies';
import { StartError } from '../service/start-error.js';
import { ownAssignor } from './own-assignor.js';
import { OwnAssignorProcess, UnusableModule } from './own-assignor-process.js';

/** How large the heap of an assignor's process may be. */
const MEMORY_MB = 256;

export interface OwnAssignors {
  readonly assignors: readonly Assignor[];
  close(): Promise<void>;
}

/**
 * Starts the modules that the configuration names; relative paths count from the working directory.
 * @throws StartError with everything that is wrong with them, and nothing is left running.
 */
export async function loadOwnAssignors(paths: readonly string[], limitMs: number): Promise<OwnAssignors> {
  const started = await Promise.allSettled(
    paths.map((path) => OwnAssignorProcess.start(resolve(path), { limitMs, memoryMb: MEMORY_MB })),
  );
  const processes = started.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const close = async () => {
    await Promise.all(processes.map((process) => process.close()));
  };
  const problems: string[] = [];
  const taken = new Map<string, string>();
  for (const [place, path] of paths.entries()) {
    const complaint = complaintAbout(started[place]!, path, taken);
    if (complaint !== undefined) problems.push(`ALLOT_ASSIGNORS: ${path} ${complaint}.`);
  }
  if (problems.length > 0) {
    await close();
    throw new StartError(problems.join('\n  '));
  }
  return { assignors: processes.map((process) => ownAssignor(process, limitMs)), close };
}

function complaintAbout(
  outcome: PromiseSettledResult<OwnAssignorProcess>,
  path: string,
  taken: Map<string, string>,
): string | undefined {
  if (outcome.status === 'rejected') {
    if (outcome.reason instanceof UnusableModule) return outcome.reason.message;
    throw outcome.reason;
  }
  const { name } = outcome.value.facts;
  if (findAssignor(name) !== undefined)
    return `is called "${name}", as an assignor that Allot has; choose another name`;
  const other = taken.get(name);
  taken.set(name, path);
  return other === undefined ? undefined : `is called "${name}", as ${other} is; choose another name`;
}
