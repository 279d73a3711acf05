import { BadRequestException } from '@nestjs/common';
import { TimelessDate } from '../../graphql/scalars.js';

/** The fields of an act, as they were sent (docs/reference/acting.md#verbs). */
export type Sent = Readonly<Record<string, unknown>>;

/** A name, or a number that serves as one. @throws BadRequestException */
export function nameIn(sent: Sent, field: string): string {
  const value = sent[field];
  return typeof value === 'number' ? String(value) : textIn(sent, field);
}

/** @throws BadRequestException */
export function textIn(sent: Sent, field: string): string {
  const value = sent[field];
  if (typeof value !== 'string' || value.trim() === '') throw new BadRequestException([`${field} must be a text`]);
  return value;
}

/** @throws BadRequestException */
export const optionalTextIn = (sent: Sent, field: string): string | undefined =>
  sent[field] === undefined || sent[field] === null ? undefined : textIn(sent, field);

/** @throws BadRequestException */
export function textsIn(sent: Sent, field: string): string[] {
  const value = sent[field];
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string')) {
    throw new BadRequestException([`${field} must be a list of names`]);
  }
  return value;
}

const is = (fits: (value: unknown) => boolean, what: string) => (sent: Sent, field: string) => {
  const value = sent[field];
  if (value !== null && !fits(value)) throw new BadRequestException([`${field} must be ${what}`]);
  return value;
};

/** A text or null, as GraphQL takes it. @throws BadRequestException */
export const anyTextIn = is((value) => typeof value === 'string', 'a text');

/** @throws BadRequestException */
export const wholeNumberIn = is((value) => Number.isInteger(value), 'a whole number');

/** @throws BadRequestException */
export const dayIn = is(isDay, 'a day such as 2026-01-31');

function isDay(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d/.test(value)) return false;
  try {
    TimelessDate.parseValue(value);
    return true;
  } catch {
    return false;
  }
}
