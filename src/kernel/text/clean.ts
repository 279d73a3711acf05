/** Characters that stored text must not contain (docs/reference/chat.md#arguments). */

/** String methods of ES2024, which Node 20 has but the compiler's ES2023 library lacks. */
interface WellFormed {
  isWellFormed(): boolean;
  toWellFormed(): string;
}

/** U+0000 (PostgreSQL does not store it) and lone surrogates (no UTF-8 form) become U+FFFD. */
export function cleanText(text: string): string {
  const whole = text as string & WellFormed;
  const wellFormed = whole.isWellFormed() ? text : whole.toWellFormed();
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\uFFFD') : wellFormed;
}

/** How deep stored JSON may nest. Serialisers recurse, so deeper values could overflow the stack. */
export const MAX_JSON_DEPTH = 100;

const tooDeep = Symbol('too deep');

/**
 * A copy of a parsed JSON value with {@link cleanText} applied to every string and key. Objects of the copy have no
 * prototype, so that a key like `__proto__` is an ordinary key. Undefined when it nests deeper than `maxDepth`.
 */
export function cleanJson(value: unknown, maxDepth = MAX_JSON_DEPTH): unknown {
  const copy = cleanLevel(value, maxDepth);
  return copy === tooDeep ? undefined : copy;
}

function cleanLevel(value: unknown, depthLeft: number): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depthLeft === 0) return tooDeep;
  if (Array.isArray(value)) {
    const copy: unknown[] = [];
    for (const item of value) {
      const cleaned = cleanLevel(item, depthLeft - 1);
      if (cleaned === tooDeep) return tooDeep;
      copy.push(cleaned);
    }
    return copy;
  }
  const copy = Object.create(null) as Record<string, unknown>;
  const fields = value as Readonly<Record<string, unknown>>;
  // `Object.entries` makes an array of each field, which takes as long as the copy
  for (const key of Object.keys(fields)) {
    const cleaned = cleanLevel(fields[key], depthLeft - 1);
    if (cleaned === tooDeep) return tooDeep;
    copy[cleanText(key)] = cleaned;
  }
  return copy;
}
