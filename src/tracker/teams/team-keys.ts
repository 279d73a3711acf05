/**
 * What a key is made of when the caller gives none: the first letters A–Z of the name, up to three
 * (docs/reference/tracker.md#team).
 */
export function keyBase(name: string): string {
  return (
    name
      .toUpperCase()
      .replace(/[^A-Z]/g, '')
      .slice(0, 3) || 'TEAM'
  );
}

/** The base itself, else with the first number from 2 on that gives a free key. */
export function freeKey(base: string, taken: ReadonlySet<string>): string {
  let key = base;
  for (let number = 2; taken.has(key); number++) key = `${base}${number}`;
  return key;
}
