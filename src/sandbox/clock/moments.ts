import { BadRequestException } from '@nestjs/common';

const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i;

/** An ISO time (UTC where it says nothing) or seconds since 1970, in microseconds; undefined when it is neither. */
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

/** Ten years of 365 days and their leap days. */
export const LONGEST_SECONDS = 315_619_200;

const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** `{"seconds":90}` or `{"by":"1h30m"}`, in seconds. @throws BadRequestException */
export function durationOf(body: unknown): number {
  const { seconds, by } = (body ?? {}) as Record<string, unknown>;
  if ((seconds === undefined) === (by === undefined)) throw new BadRequestException(['give one of seconds and by']);
  const read = seconds !== undefined ? seconds : typeof by === 'string' ? parse(by) : undefined;
  const name = seconds !== undefined ? 'seconds' : 'by';
  if (typeof read !== 'number' || !Number.isFinite(read) || read <= 0 || read > LONGEST_SECONDS) {
    throw new BadRequestException([
      `${name} must be ${name === 'by' ? 'a duration like 1h30m' : 'a number'}, over 0 and at most 10 years`,
    ]);
  }
  return read;
}

function parse(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|w)\s*/gy)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== text.trimStart()) return undefined;
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * (UNITS[unit as string] as number), 0);
}
