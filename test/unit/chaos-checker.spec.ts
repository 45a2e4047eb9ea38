import { describe, expect, it } from '@jest/globals';
import { WorkLog } from '../chaos/checker.js';

const held = { t: [0] };

describe('the checker of the chaos test', () => {
  it('finds two members that work on one partition at once', () => {
    const log = new WorkLog();
    log.add({ at: 0, member: 'a', epoch: 1, until: 100, held });
    log.add({ at: 50, member: 'b', epoch: 2, until: 150, held });
    expect(log.overlaps()).toMatchObject([
      { partition: 't-0', a: { member: 'a', to: 100 }, b: { member: 'b', from: 50 } },
    ]);
  });

  it.each([
    ['dropped it before', (log: WorkLog) => log.add({ at: 40, member: 'a', epoch: 1, until: 100, held: {} })],
    ['ran out of validity before', () => undefined, 45],
    ['was killed before', (log: WorkLog) => log.kill('a', 45)],
  ])('finds nothing when the first one %s', (_name, act, until = 100) => {
    const log = new WorkLog();
    log.add({ at: 0, member: 'a', epoch: 1, until, held });
    act(log);
    log.add({ at: 50, member: 'b', epoch: 2, until: 150, held });
    expect(log.overlaps()).toEqual([]);
  });

  it('counts renewed answers of one member as one piece of work', () => {
    const log = new WorkLog();
    for (const at of [0, 10, 20]) log.add({ at, member: 'a', epoch: 1, until: at + 100, held });
    expect(log.works().get('t-0')).toEqual([{ member: 'a', from: 0, to: 120 }]);
  });

  it('finds a write that was allowed to one member while another held the partition', () => {
    const log = new WorkLog();
    log.add({ at: 0, member: 'b', epoch: 2, until: 100, held });
    log.addVerdict({ member: 'a', from: 40, to: 50, valid: held });
    log.addVerdict({ member: 'b', from: 40, to: 50, valid: held });
    log.addVerdict({ member: 'a', from: 40, to: 50, valid: { t: [1] } });
    expect(log.staleWrites()).toEqual(['a was allowed to write t-0 of b']);
  });

  it('allows a write whose answer came after the partition went on: it may have been decided before', () => {
    const log = new WorkLog();
    log.add({ at: 45, member: 'b', epoch: 2, until: 100, held });
    log.addVerdict({ member: 'a', from: 40, to: 50, valid: held });
    expect(log.staleWrites()).toEqual([]);
  });

  it('finds epochs that fall', () => {
    const log = new WorkLog();
    log.add({ at: 0, member: 'a', epoch: 2, until: 100, held });
    log.add({ at: 1, member: 'a', epoch: 1, until: 100, held });
    log.works();
    expect(log.regressions()).toEqual(['the epoch of a fell from 2 to 1']);
  });
});
