import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { platform } from 'node:os';

/** Whether the number belongs to a process, be it one that has ended and whose parent has not asked for its end yet. */
export function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether a process of this number runs, whoever owns it. */
export function isAlive(pid: number): boolean {
  return exists(pid) && (platform() !== 'linux' || linuxStat(pid)?.[0] !== 'Z');
}

/**
 * When a process started, as text that is only good for comparing: numbers of processes are used again, and in a container
 * every first process is number 1. Undefined where the system does not say.
 */
export function startTimeOf(pid: number): string | undefined {
  try {
    if (platform() !== 'linux') return ps(pid, 'lstart=');
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const ticks = linuxStat(pid)?.[19];
    return ticks && `${bootId}:${ticks}`;
  } catch {
    return undefined;
  }
}

/** /proc/PID/stat after the command, which stands in parentheses and may itself contain blanks and parentheses. */
function linuxStat(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
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

/** Numbers of the processes whose working directory is `folder`; empty where the system does not say. */
export function processesIn(folder: string): readonly number[] {
  if (platform() !== 'linux') return [];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      return false;
    }
  });
}

function ps(pid: number, column: string): string | undefined {
  if (platform() === 'win32') return undefined;
  const output = execFileSync('ps', ['-ww', '-o', column, '-p', String(pid)], { encoding: 'utf8' }).trim();
  return output === '' ? undefined : output;
}
