import { LATEST_SANDBOX_MICROS } from '../../kernel/clock/clock.js';
import { parseIsoDate } from '../../kernel/text/iso-date.js';

/** Parses an ISO time (UTC without an offset) or seconds since 1970 to microseconds; undefined when it is neither. */
export function momentOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? Math.round(value * 1e6) : undefined;
  if (typeof value !== 'string') return undefined;
  if (/^\d{1,10}(?:\.\d{1,6})?$/.test(value)) return Math.round(Number(value) * 1e6);
  const at = parseIsoDate(value);
  return at && at.getTime() * 1000;
}

/** Ten years, with their leap days. */
export const LONGEST_SECONDS = 315_619_200;

const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

export const isDuration = (seconds: unknown): seconds is number =>
  typeof seconds === 'number' && seconds > 0 && seconds <= LONGEST_SECONDS;

/** Of a duration like `1h30m`; undefined when it is none. */
export const secondsOf = (duration: unknown): number | undefined =>
  typeof duration === 'string' ? parse(duration) : undefined;

function parse(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|w)\s*/gy)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== text.trimStart()) return undefined;
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * (UNITS[unit as string] as number), 0);
}

/** The earliest time of a sandbox's clock (2000-01-01), in microseconds; the latest is `LATEST_SANDBOX_MICROS`. */
const EARLIEST_SANDBOX_MICROS = 946_684_800_000_000;

export const OUT_OF_TIMES = 'must lie between 2000-01-01 and 2100-01-01';

/** Whether a sandbox's clock can show it: timestamps of messages have ten digits for the seconds. */
export const isInTimes = (micros: number): boolean =>
  micros >= EARLIEST_SANDBOX_MICROS && micros <= LATEST_SANDBOX_MICROS;
