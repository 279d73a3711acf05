const LONGEST = 80;

/**
 * The readable part of an address (docs/reference/tracker.md#issue): lower case, every run of other characters than
 * `[a-z0-9]` a hyphen, at most 80 characters, no hyphen at either end. Empty when nothing readable is left.
 */
export function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, LONGEST)
    .replace(/-$/, '');
}
