import { Store, useStore } from '../kit/store.js';
import { writeLocal, readLocal } from '../kit/local-storage.js';

export type Zone = 'local' | 'utc';

/** Whether times are shown in the browser's time zone or in UTC. */
export const zone = new Store<Zone>(readLocal<Zone>('zone', 'local'));

export function setZone(next: Zone): void {
  writeLocal('zone', next);
  zone.set(next);
}

export const useZone = (): Zone => useStore(zone);

const zoneOption = (): { timeZone?: string } => (zone.get() === 'utc' ? { timeZone: 'UTC' } : {});

const format = (options: Intl.DateTimeFormatOptions): ((date: Date) => string) => {
  const made = new Map<Zone, Intl.DateTimeFormat>();
  return (date) => {
    const key = zone.get();
    let formatter = made.get(key);
    if (!formatter) made.set(key, (formatter = new Intl.DateTimeFormat(undefined, { ...options, ...zoneOption() })));
    return formatter.format(date);
  };
};

export const clockTime = format({ hour: '2-digit', minute: '2-digit' });
/** To the millisecond; on the 24-hour clock, as columns of times are compared. */
export const exactTime = format({
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});
export const fullTime = format({ dateStyle: 'full', timeStyle: 'medium' });
export const fullDate = format({ dateStyle: 'long' });
export const shortDate = format({ day: 'numeric', month: 'short' });
const longDate = format({ weekday: 'long', day: 'numeric', month: 'long' });
const longDateYear = format({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
const dayFormat = format({ year: 'numeric', month: '2-digit', day: '2-digit' });

/** Time zones differ by multiples of 15 minutes, so a day can only change at one. */
const QUARTER_MS = 900_000;
const MAX_QUARTERS = 5_000;
const dayOfQuarter = new Map<Zone, Map<number, string>>();

/** The day of a moment, for comparing. Cached, as a list asks for it for every message. */
export function dayKey(date: Date): string {
  const quarter = Math.floor(date.getTime() / QUARTER_MS);
  let days = dayOfQuarter.get(zone.get());
  if (!days || days.size > MAX_QUARTERS) dayOfQuarter.set(zone.get(), (days = new Map()));
  let day = days.get(quarter);
  if (day === undefined) days.set(quarter, (day = dayFormat(date)));
  return day;
}

/** The time of a message's `ts`; now for a message that has none yet. */
export function dateOfTs(ts: string): Date {
  const [seconds, micros = 0] = ts.split('.').map(Number);
  const date = new Date((seconds ?? NaN) * 1000 + micros / 1000);
  return Number.isNaN(date.getTime()) ? new Date() : date;
}

/** "Today", "Yesterday", "Monday, 3 March". */
export function dayName(date: Date, now = new Date()): string {
  const key = dayKey(date);
  if (key === dayKey(now)) return 'Today';
  if (key === dayKey(new Date(now.getTime() - 86_400_000))) return 'Yesterday';
  return date.getFullYear() === now.getFullYear() ? longDate(date) : longDateYear(date);
}

/** "2 min ago". */
export function ago(date: Date, now = Date.now()): string {
  const seconds = Math.round((now - date.getTime()) / 1000);
  if (seconds < 0) return `in ${span(-seconds)}`;
  return seconds < 10 ? 'just now' : `${span(seconds)} ago`;
}

/** "48 min", "3 d". */
export function span(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}

/** The tokens of `<!date^…>`. */
export function formatDateToken(seconds: number, template: string): string {
  const date = new Date(seconds * 1000);
  const parts: Record<string, () => string> = {
    '{date_num}': () => date.toISOString().slice(0, 10),
    '{date}': () => longDateYear(date),
    '{date_short}': () => shortDate(date),
    '{date_long}': () => longDateYear(date),
    '{date_pretty}': () => dayName(date),
    '{date_short_pretty}': () => dayName(date),
    '{date_long_pretty}': () => dayName(date),
    '{time}': () => clockTime(date),
    '{time_secs}': () => exactTime(date).slice(0, 8),
    '{ago}': () => ago(date),
  };
  return template.replace(/\{[a-z_]+\}/g, (token) => parts[token]?.() ?? token);
}

export function bytes(size: number): string {
  if (size < 1024) return `${size} bytes`;
  if (size < 1024 * 1024) return `${(size / 1024).toFixed(size < 10_240 ? 1 : 0)} KiB`;
  return `${(size / 1024 / 1024).toFixed(1)} MiB`;
}
