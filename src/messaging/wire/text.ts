/**
 * Rules for text that is stored: what is replaced, how it is measured and cut (docs/reference/chat.md#arguments,
 * #messages, #profiles).
 */

export { cleanJson, cleanText, MAX_JSON_DEPTH } from '../../kernel/text/clean.js';

/** A JSON object: neither null nor an array. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Length in Unicode code points: what every limit of the contract counts. */
export function codePointLength(text: string): number {
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    if (text.codePointAt(i)! > 0xffff) i++;
    length++;
  }
  return length;
}

/** Whether the text has more than `limit` code points; cheap for the usual short text. */
export function isLongerThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  return text.length > 2 * limit || codePointLength(text) > limit;
}

/** The first `limit` code points; never half of a surrogate pair. */
export function truncateText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let end = 0;
  for (let count = 0; count < limit && end < text.length; count++) end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

/** Nothing but white space. */
export function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** For `*_normalized`: `é` → `e`. Marks of scripts where they are letters (Devanagari vowels, say) stay. */
export function stripDiacritics(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F]/g, '')
    .normalize('NFC');
}
