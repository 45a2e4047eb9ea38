import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkWindows, WEEKDAYS, windowEnd, type MaintenanceWindow } from '../../src/consumer/maintenance-windows.js';

const at = (text: string) => Date.parse(text);
const endOf = (windows: readonly MaintenanceWindow[], now: string) => {
  const end = windowEnd(windows, at(now));
  return end === undefined ? undefined : new Date(end).toISOString();
};

describe('maintenance windows', () => {
  const single = { from: '2026-12-24T18:00:00+01:00', until: '2026-12-26T12:00:00Z' };

  it('hold from their beginning until just before their end', () => {
    expect(endOf([single], '2026-12-24T16:59:59.999Z')).toBeUndefined();
    expect(endOf([single], '2026-12-24T17:00:00Z')).toBe('2026-12-26T12:00:00.000Z');
    expect(endOf([single], '2026-12-26T11:59:59.999Z')).toBe('2026-12-26T12:00:00.000Z');
    expect(endOf([single], '2026-12-26T12:00:00Z')).toBeUndefined();
    expect(endOf([], '2026-12-26T12:00:00Z')).toBeUndefined();
  });

  it('come every week, over midnight and over the end of the week', () => {
    const nights = { days: ['FRIDAY', 'SUNDAY'], from: '22:30', until: '04:00' } as const;
    // 2026-12-04 is a Friday.
    expect(endOf([nights], '2026-12-04T22:29:59Z')).toBeUndefined();
    expect(endOf([nights], '2026-12-04T22:30:00Z')).toBe('2026-12-05T04:00:00.000Z');
    expect(endOf([nights], '2026-12-05T03:59:59Z')).toBe('2026-12-05T04:00:00.000Z');
    expect(endOf([nights], '2026-12-05T23:00:00Z')).toBeUndefined();
    expect(endOf([nights], '2026-12-07T01:00:00Z')).toBe('2026-12-07T04:00:00.000Z');
  });

  it('go by the wall clock of their zone, also where the clocks change', () => {
    const berlin = { days: ['SUNDAY'], from: '01:00', until: '05:00', timeZone: 'Europe/Berlin' } as const;
    expect(endOf([berlin], '2026-06-07T00:30:00Z')).toBe('2026-06-07T03:00:00.000Z');
    // Summer time begins on 2026-03-29 at 01:00 UTC, and ends on 2026-10-25 at 01:00 UTC.
    expect(endOf([berlin], '2026-03-29T00:15:00Z')).toBe('2026-03-29T03:00:00.000Z');
    expect(endOf([berlin], '2026-10-24T23:15:00Z')).toBe('2026-10-25T04:00:00.000Z');
  });

  it('that follow one another end with the last', () => {
    const days = { days: ['MONDAY'], from: '08:00', until: '12:00' } as const;
    const noon = { days: ['MONDAY'], from: '12:00', until: '13:00' } as const;
    const once = { from: '2026-12-07T12:30:00Z', until: '2026-12-07T14:00:00Z' };
    expect(endOf([once, noon, days], '2026-12-07T09:00:00Z')).toBe('2026-12-07T14:00:00.000Z');
    const always = { days: [...WEEKDAYS], from: '00:00', until: '00:00' };
    expect(windowEnd([always], at('2026-12-07T09:00:00Z'))).toBeGreaterThan(at('2026-12-21T00:00:00Z'));
  });

  it('end where they say, wherever one begins to look', () => {
    const hours = fc.integer({ min: 0, max: 23 }).map((hour) => `${String(hour).padStart(2, '0')}:00`);
    const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Chatham');
    const days = fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1, maxLength: 3 });
    const moments = fc.integer({ min: at('2026-01-01T00:00:00Z'), max: at('2027-01-01T00:00:00Z') });
    fc.assert(
      fc.property(days, hours, hours, zones, moments, (on, from, until, timeZone, now) => {
        const window = { days: on, from, until, timeZone };
        const end = windowEnd([window], now);
        if (end === undefined) return;
        expect(end).toBeGreaterThan(now);
        // Seen from anywhere inside it, the end is the same.
        expect(windowEnd([window], now + Math.floor((end - now) / 2))).toBe(end);
        expect(windowEnd([window], end)).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  it('are refused with every field that is wrong', () => {
    const wrong = [
      { from: '2026-12-24', until: '2026-12-26T12:00:00Z' },
      { from: '2026-12-26T12:00:00Z', until: '2026-12-24T12:00:00Z' },
      { days: [], from: '8:00', until: '24:00', timeZone: 'Mars/Olympus' },
      { days: ['FUNDAY' as 'SUNDAY'], from: '08:00', until: '09:00' },
      { from: '2027-02-29T00:00:00Z', until: '2027-04-31T00:00:00+02:00' },
    ];
    const complaints = () => {
      try {
        checkWindows(wrong);
      } catch (error) {
        return (error as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer);
      }
      return [];
    };
    expect(complaints()).toEqual(
      ['0/from', '1/until', '2/from', '2/until', '2/days', '2/timeZone', '3/days/0', '4/from', '4/until'].map(
        (pointer) => `/maintenanceWindows/${pointer}`,
      ),
    );
    expect(() => checkWindows([{ from: '2028-02-29T00:00:00Z', until: '2028-02-29T23:30:00-02:00' }])).not.toThrow();
    expect(() => checkWindows([{ from: '2026-12-24T18:00:00Z', until: '2026-12-24T18:00:01+00:00' }])).not.toThrow();
  });
});
