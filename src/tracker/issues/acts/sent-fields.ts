import { BadRequestException } from '@nestjs/common';

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
