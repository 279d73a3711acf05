/**
 * Message timestamps (docs/reference/chat.md#timestamps): microseconds since 1970 as a JS number inside,
 * `1767225600.000100` on the wire. Doubles hold whole microseconds up to the year 2255.
 */

const WIRE_FORM = /^(\d{1,10})(?:\.(\d{1,6}))?$/;

/**
 * Stands for a required timestamp that does not parse, when the contract answers as for a message that does not exist
 * (`message_not_found`, `thread_not_found`): no message has it, so a look-up finds nothing.
 */
export const NO_SUCH_TS = -1;

/** `1767225600000100` → `"1767225600.000100"`. */
export function formatTs(micros: number): string {
  const digits = String(micros).padStart(16, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

/**
 * Parses a timestamp that a caller sent: a string or number of 1 to 10 digits, optionally a dot and 1 to 6 digits.
 * Undefined when it is invalid. Values past the year 2255 become the largest exact double.
 */
export function parseTs(value: unknown): number | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const match = WIRE_FORM.exec(String(value));
  if (!match) return undefined;
  const micros = Number(match[1]) * 1_000_000 + Number((match[2] ?? '').padEnd(6, '0'));
  return Math.min(micros, Number.MAX_SAFE_INTEGER);
}
