import { SETTINGS } from './settings.js';

/** Settings of the commands and of the tool servers. */
const OTHERS = ['SVC_API_URL', 'SVC_SANDBOX_TOKEN', 'SVC_MCP_TOKEN', 'SVC_API_KEY', 'SVC_CA_DIR'];

/** A name with more edits than this is a different name rather than a typing error. */
const MAX_EDITS = 2;

/**
 * A message for each variable that looks like a setting but is not one: it begins with `SVC_`, or differs from a known
 * name by a typing error. Values are never shown.
 */
export function unknownSettings(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = [...Object.values(SETTINGS).map((row) => row.env), ...OTHERS];
  return Object.keys(env).flatMap((name) => {
    if (known.includes(name) || env[name] === '' || name.startsWith('SVC_TEST_')) return [];
    const near = nearest(name, known);
    if (name.startsWith('SVC_')) {
      return [`${name} is no setting${near === undefined ? '' : `: did you mean ${near}?`}`];
    }
    return near !== undefined && near.length > 6 ? [`${name} is no setting: did you mean ${near}?`] : [];
  });
}

/** The known name with the fewest edits, if there are few. */
export function nearest(name: string, known: readonly string[], most = MAX_EDITS): string | undefined {
  let best: string | undefined;
  let bestEdits = most + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= bestEdits) continue;
    const edits = editsBetween(name, candidate);
    if (edits < bestEdits) [best, bestEdits] = [candidate, edits];
  }
  return best;
}

/** Edit distance: letters added, removed, changed, or swapped with their neighbour. */
function editsBetween(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          (last[j] as number) + 1,
          (row[j - 1] as number) + 1,
          (last[j - 1] as number) + (isSame ? 0 : 1),
          swapped ? (beforeLast[j - 2] as number) + 1 : Infinity,
        ),
      );
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length] as number;
}
