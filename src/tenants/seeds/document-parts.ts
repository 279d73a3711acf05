/** Items transferred between threads at once: receiving them takes a millisecond or two. */
const AT_ONCE = 200;
/** The depth at which a document's lists can be. */
const MAX_DEPTH = 5;

/** The path of a value. */
type Path = readonly (string | number)[];

/** Some items of a list, which are appended to the earlier ones. */
export interface Slice {
  readonly path: Path;
  readonly items: readonly unknown[];
}

/** Empties the long lists of a value and yields their content slice by slice, outer lists first. */
export function takeLongLists(value: unknown): Slice[] {
  const slices: Slice[] = [];
  const look = (one: unknown, path: Path): void => {
    if (typeof one !== 'object' || one === null || path.length > MAX_DEPTH) return;
    if (!Array.isArray(one)) {
      for (const [key, child] of Object.entries(one)) look(child, [...path, key]);
      return;
    }
    const items = one as unknown[];
    const own: Slice[] = [];
    if (items.length > AT_ONCE) {
      for (let from = 0; from < items.length; from += AT_ONCE)
        own.push({ path, items: items.slice(from, from + AT_ONCE) });
    }
    slices.push(...own);
    for (const [i, child] of items.entries()) look(child, [...path, i]);
    if (own.length > 0) items.length = 0;
  };
  look(value, []);
  return slices;
}

/** Puts a slice back into its list. */
export function restoreSlice(value: unknown, { path, items }: Slice): void {
  let list = value;
  for (const key of path) list = (list as Record<string | number, unknown>)[key];
  for (const item of items) (list as unknown[]).push(item);
}
