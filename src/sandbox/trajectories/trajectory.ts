/** The format of a trajectory; other ones are refused. */
export const TRAJECTORY_FORMAT = 'understudy.trajectory/1';

export type Line = Readonly<Record<string, unknown>> & { readonly t: string };

/** Who made a recorded call, by name. */
export interface Actor {
  readonly kind: string;
  readonly app?: string;
  readonly user?: string;
  readonly webhook?: string;
}

/** The first place in which two answers differ. */
export interface Divergence {
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** Chat ids, UUIDs and timestamps of messages: what is different in another sandbox or at another time. */
const IDS =
  /\b[A-Z][a-z]?0[0-9A-Z]{9}\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b\d{10}\.\d{6}\b/g;
const ISO_TIME = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g;
/** A domain that was made up. */
const DOMAIN = /\bsandbox-\d{10}\b/g;
const MADE_UP_ID = /^[A-Za-z0-9]{5}$/;
/** Seconds, milliseconds and microseconds since 1970, from 2001 on. */
const isTime = (value: number): boolean => value >= 1e9 && value < 1e16;
/** Fields of which only a sandbox's own are equal. */
const OWN_FIELDS =
  /^(?:block_id|action_id|next_cursor|endCursor|startCursor|cursor|lastSyncId|color|avatar_hash|image_\d+|image_original|client_msg_id)$/;

/** A text with ids replaced by those that they became. */
export const mapped = (value: unknown, ids: ReadonlyMap<string, string>): unknown => {
  if (typeof value === 'string') return value.replace(IDS, (id) => ids.get(id) ?? id);
  if (Array.isArray(value)) return value.map((one) => mapped(one, ids));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [String(mapped(key, ids)), mapped(one, ids)]));
};

/** Notes which ids of a recorded answer became which, wherever both answers have one in the same place. */
export function learn(expected: unknown, actual: unknown, ids: Map<string, string>): void {
  if (typeof expected === 'string' && typeof actual === 'string') {
    const [before, after] = [expected.match(IDS) ?? [], actual.match(IDS) ?? []];
    if (before.length !== after.length) return;
    before.forEach((id, i) => {
      if (id !== after[i] && !ids.has(id)) ids.set(id, after[i] as string);
    });
    return;
  }
  if (typeof expected !== 'object' || expected === null || typeof actual !== 'object' || actual === null) return;
  for (const [key, one] of Object.entries(expected)) learn(one, (actual as Record<string, unknown>)[key], ids);
}

/** A value without what is never the same twice. */
function bareOf(value: unknown, field = ''): unknown {
  if (typeof value === 'string') {
    if (
      OWN_FIELDS.test(field) &&
      (field !== 'block_id' && field !== 'action_id' ? value !== '' : MADE_UP_ID.test(value))
    ) {
      return '<own>';
    }
    return value.replace(IDS, '<id>').replace(ISO_TIME, '<time>').replace(DOMAIN, '<domain>');
  }
  if (typeof value === 'number') return OWN_FIELDS.test(field) ? '<own>' : isTime(value) ? '<time>' : value;
  if (Array.isArray(value)) return value.map((one) => bareOf(one, field));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key.replace(IDS, '<id>'), bareOf(one, key)]));
}

/**
 * Where two values differ first; undefined: nowhere.
 * @param isExact ids and times are compared as well
 */
export const divergence = (
  expected: unknown,
  actual: unknown,
  { path, isExact }: { readonly path: string; readonly isExact: boolean },
): Divergence | undefined =>
  isExact ? firstIn(expected, actual, path) : firstIn(bareOf(expected), bareOf(actual), path);

function firstIn(expected: unknown, actual: unknown, path: string): Divergence | undefined {
  if (Object.is(expected, actual)) return undefined;
  const areObjects = [expected, actual].every((value) => typeof value === 'object' && value !== null);
  if (!areObjects || Array.isArray(expected) !== Array.isArray(actual)) {
    return { path, expected: expected ?? null, actual: actual ?? null };
  }
  const [before, after] = [expected as Record<string, unknown>, actual as Record<string, unknown>];
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const at = Array.isArray(expected) ? `${path}[${key}]` : `${path}.${key}`;
    const found = firstIn(before[key], after[key], at);
    if (found) return found;
  }
  return undefined;
}
