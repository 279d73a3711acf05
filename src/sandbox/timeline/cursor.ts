import { RestError } from '../../kernel/http/http-error.js';

/** A position in a timeline as clients hold it: opaque, ascending as text. */
export const cursorOf = (seq: number): string => `t${seq.toString(36).padStart(10, '0')}`;

/** Undefined when it is not a cursor. */
export function seqOf(cursor: string): number | undefined {
  return /^t[0-9a-z]{10}$/.test(cursor) ? parseInt(cursor.slice(1), 36) : undefined;
}

/** @throws RestError 400 invalid_cursor */
export function requireSeq(cursor: string): number {
  const seq = seqOf(cursor);
  if (seq === undefined) throw new RestError(400, 'invalid_cursor');
  return seq;
}
