import { BadRequestException } from '@nestjs/common';
import { TextFields } from '../rest/text-fields.js';
import { isJsonObject } from '../wire/text.js';

type Json = Record<string, unknown>;

/** Parses the fields of an act. Numbers are accepted as texts. */
export class Fields extends TextFields {
  override optional(field: string): string | undefined {
    const value = this.sent[field];
    return typeof value === 'number' ? String(value) : super.optional(field);
  }

  /** @throws BadRequestException */
  object(field: string): Json | undefined {
    const value = this.sent[field];
    if (value === undefined || value === null) return undefined;
    if (!isJsonObject(value)) throw new BadRequestException([`${field} must be an object`]);
    return value;
  }

  /** @throws BadRequestException */
  flag(field: string): boolean {
    const value = this.sent[field];
    if (value === undefined || value === null) return false;
    if (typeof value !== 'boolean') throw new BadRequestException([`${field} must be a boolean`]);
    return value;
  }

  /**
   * A list of texts; a single one or a comma-separated list is accepted too.
   * @throws BadRequestException
   */
  list(field: string): string[] {
    const value = this.sent[field];
    const items: unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [];
    const texts = items.map((item) => (typeof item === 'string' ? item.trim() : ''));
    if (texts.length === 0 || texts.includes('')) throw new BadRequestException([`${field} must be a list of names`]);
    return texts;
  }
}

export const UNTIL = ['ack', 'activity', 'reply', 'none'] as const;
export type WaitUntil = (typeof UNTIL)[number];

const MAX_WAIT_MS = 10_000;
const DEFAULT_WAIT_MS = 1_000;

/**
 * How long an act waits, and for what; undefined: the verb says.
 * @throws BadRequestException
 */
export function readWait({ sent }: Fields): { waitMs: number; until: WaitUntil | undefined } {
  const { wait_ms: waitMs = DEFAULT_WAIT_MS, until } = sent;
  const faults: string[] = [];
  const isWait = typeof waitMs === 'number' && Number.isInteger(waitMs) && waitMs >= 0 && waitMs <= MAX_WAIT_MS;
  if (!isWait) faults.push(`wait_ms must be an integer from 0 to ${MAX_WAIT_MS}`);
  if (until !== undefined && !UNTIL.includes(until as WaitUntil))
    faults.push(`until must be one of ${UNTIL.join(', ')}`);
  if (faults.length > 0) throw new BadRequestException(faults);
  return { waitMs: waitMs as number, until: until as WaitUntil | undefined };
}
