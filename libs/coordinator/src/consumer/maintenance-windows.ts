import { invalidRequest, type FieldError } from '@allot/model';

export const WEEKDAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** A time that comes once: ISO 8601 with its offset, `until` excluded. */
export interface SingleWindow {
  readonly from: string;
  readonly until: string;
}

/**
 * A time that comes every week, on the clock of the wall: from HH:MM on each of the days until HH:MM, the day after when that is not
 * later; equal times mean 24 hours.
 */
export interface WeeklyWindow extends SingleWindow {
  readonly days: readonly Weekday[];
  /** A name of the IANA time zone database; UTC when absent. */
  readonly timeZone?: string;
}

/** A time in which a group gets no new target. */
export type MaintenanceWindow = SingleWindow | WeeklyWindow;

const MINUTE_MS = 60_000;
const DAY = 24 * 60;
const WEEK = 7 * DAY;
const MOST_WINDOWS = 100;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;
const TIME_OF_DAY = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** @throws AllotError INVALID_REQUEST naming every field that is wrong. */
export function checkWindows(windows: readonly MaintenanceWindow[]): void {
  const errors: FieldError[] = [];
  const complain = (at: string, detail: string) => errors.push({ pointer: `/maintenanceWindows${at}`, detail });
  if (windows.length > MOST_WINDOWS) complain('', `at most ${MOST_WINDOWS} windows, not ${windows.length}`);
  for (const [i, window] of windows.entries()) {
    const wanted = 'days' in window ? 'must be HH:MM' : 'must be a time with its offset, as in 2026-12-24T18:00:00Z';
    for (const field of ['from', 'until'] as const) {
      const value = window[field];
      const right = 'days' in window ? TIME_OF_DAY.test(value) : isInstant(value);
      if (!right) complain(`/${i}/${field}`, wanted);
    }
    if (!('days' in window)) {
      if (Date.parse(window.from) >= Date.parse(window.until)) complain(`/${i}/until`, 'must be later than from');
      continue;
    }
    if (window.days.length === 0) complain(`/${i}/days`, 'must name at least one day');
    for (const [d, day] of window.days.entries()) {
      if (!WEEKDAYS.includes(day)) complain(`/${i}/days/${d}`, `must be one of ${WEEKDAYS.join(', ')}`);
    }
    if (!isTimeZone(window.timeZone ?? 'UTC')) complain(`/${i}/timeZone`, 'must be a time zone such as Europe/Berlin');
  }
  if (errors.length > 0) throw invalidRequest('The maintenance windows are not valid.', errors);
}

/** A day that there is: Date.parse takes the 30th of February for the 2nd of March. */
function isInstant(text: string): boolean {
  if (!INSTANT.test(text) || Number.isNaN(Date.parse(text))) return false;
  const day = text.slice(0, 'YYYY-MM-DD'.length);
  return new Date(`${day}T00:00Z`).toISOString().startsWith(day);
}

/**
 * When the window that `now` lies in is over, or the last of several that follow one another; undefined outside of them. Times in ms
 * since 1970. Where the clocks change within a window it ends when the wall clock says so.
 */
export function windowEnd(windows: readonly MaintenanceWindow[], now: number): number | undefined {
  let end = now;
  // Each round needs another window to go on; windows without a gap for weeks are looked at again at their end.
  for (let round = 0; round <= 2 * MOST_WINDOWS; round++) {
    const further = Math.max(...windows.map((window) => endOf(window, end) ?? end));
    if (!(further > end)) break;
    end = further;
  }
  return end > now ? end : undefined;
}

function endOf(window: MaintenanceWindow, at: number): number | undefined {
  if ('days' in window) return weeklyEnd(window, at);
  const until = Date.parse(window.until);
  return Date.parse(window.from) <= at && at < until ? until : undefined;
}

function weeklyEnd({ days, from, until, timeZone = 'UTC' }: WeeklyWindow, at: number): number | undefined {
  const minute = minuteOfWeek(at, timeZone);
  const [begins, ends] = [minuteOfDay(from), minuteOfDay(until)];
  const length = (ends - begins + DAY) % DAY || DAY;
  let left = 0;
  for (const day of days) {
    const since = (minute - WEEKDAYS.indexOf(day) * DAY - begins + WEEK) % WEEK;
    if (since < length) left = Math.max(left, length - since);
  }
  if (left === 0) return undefined;
  const begun = Math.floor(at / MINUTE_MS) * MINUTE_MS;
  const end = begun + left * MINUTE_MS;
  // Off by what the clocks were put forward or back meanwhile.
  const off = ((minuteOfWeek(end, timeZone) - ((minute + left) % WEEK) + WEEK + WEEK / 2) % WEEK) - WEEK / 2;
  return Math.max(end - off * MINUTE_MS, begun + MINUTE_MS);
}

function minuteOfDay(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
}

/** Minutes since Monday 00:00 on the wall clock of the zone. */
function minuteOfWeek(at: number, timeZone: string): number {
  let format = formats.get(timeZone);
  if (format === undefined) {
    const parts = { weekday: 'long', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    formats.set(timeZone, (format = new Intl.DateTimeFormat('en-US', { ...parts, timeZone })));
  }
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const day = WEEKDAYS.indexOf(parts.get('weekday')!.toUpperCase() as Weekday);
  return day * DAY + Number(parts.get('hour')) * 60 + Number(parts.get('minute'));
}

/** By name; zones are few, and making one is slow. */
const formats = new Map<string, Intl.DateTimeFormat>();

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}
