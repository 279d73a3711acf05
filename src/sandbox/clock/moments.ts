const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i;

/** Parses an ISO time (UTC without an offset) or seconds since 1970 to microseconds; undefined when it is neither. */
export function momentOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? Math.round(value * 1e6) : undefined;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.getTime() * 1000;
  if (typeof value !== 'string') return undefined;
  if (/^\d{1,10}(?:\.\d{1,6})?$/.test(value)) return Math.round(Number(value) * 1e6);
  if (!ISO.test(value)) return undefined;
  const hasZone = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(value) && value.length > 10;
  const ms = Date.parse(hasZone || value.length === 10 ? value : `${value.replace(' ', 'T')}Z`);
  return Number.isNaN(ms) ? undefined : ms * 1000;
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
