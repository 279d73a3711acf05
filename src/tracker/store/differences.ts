/**
 * The properties of `change` that differ from the row's; none when nothing changes
 * (docs/reference/tracker.md#entities, `updatedAt`).
 */
export function differences<R extends object>(row: R, change: Partial<R>): Partial<R> {
  const differs = ([name, value]: [string, unknown]): boolean =>
    value !== undefined && JSON.stringify(value) !== JSON.stringify((row as Record<string, unknown>)[name]);
  return Object.fromEntries(Object.entries(change).filter(differs)) as Partial<R>;
}
