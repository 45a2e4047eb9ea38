import type { FaultProxy } from './fault-proxy.js';

/** When a replica is killed, by what has become of its commit. */
export const PHASES = [
  'before the commit',
  'after the commit, before the replica knows',
  'after the replica knows',
] as const;
export type Phase = (typeof PHASES)[number];

/** Kills at the `count`-th COMMIT that passes the proxy. */
export class CommitTrap {
  readonly sprung: Promise<void>;

  constructor(
    proxy: FaultProxy,
    phase: Phase,
    count: number,
    private readonly kill: () => Promise<void>,
  ) {
    let left = count;
    this.sprung = new Promise((resolve) => {
      const spring = async () => {
        proxy.onRequest = undefined;
        proxy.onAnswer = undefined;
        await this.kill();
        resolve();
      };
      proxy.onRequest = (data) => {
        if (!data.includes('COMMIT') || --left > 0) return undefined;
        if (phase === 'before the commit') return spring().then(() => Promise.reject(new Error('never passed on')));
        // The next answer on any connection may be another statement's: kill when this commit's own words come back.
        proxy.onAnswer = (answer) => {
          if (!answer.includes('COMMIT')) return undefined;
          if (phase === 'after the replica knows') {
            setTimeout(() => void spring(), 0);
            return undefined;
          }
          return spring().then(() => Promise.reject(new Error('never passed on')));
        };
        return undefined;
      };
    });
  }
}
