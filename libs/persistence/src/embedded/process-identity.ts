import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { platform } from 'node:os';

/** Whether a process of this number exists, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * When a process started, as text that is only good for comparing: numbers of processes are used again, and in a container
 * every first process is number 1. Undefined where the system does not say.
 */
export function startTimeOf(pid: number): string | undefined {
  try {
    if (platform() === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The second field is the command in parentheses and may itself contain blanks and parentheses.
      const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
      return `${bootId}:${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
    }
    return ps(pid, 'lstart=');
  } catch {
    return undefined;
  }
}

/** The command line of a process, its arguments separated by blanks; undefined where the system does not say. */
export function commandOf(pid: number): string | undefined {
  try {
    if (platform() === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return ps(pid, 'command=');
  } catch {
    return undefined;
  }
}

function ps(pid: number, column: string): string | undefined {
  if (platform() === 'win32') return undefined;
  const output = execFileSync('ps', ['-ww', '-o', column, '-p', String(pid)], { encoding: 'utf8' }).trim();
  return output === '' ? undefined : output;
}
