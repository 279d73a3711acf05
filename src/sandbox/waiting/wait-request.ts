import { RestError } from '../../kernel/http/http-error.js';
import { isObject, type Matcher } from '../matchers/matcher.js';
import { demandSeq } from '../timeline/cursor.js';
import { matcherOf } from '../timeline/filters.js';

export const WAITS = ['call', 'event', 'delivery', 'received', 'message', 'issue', 'quiet', 'idle'] as const;
export type WaitFor = (typeof WAITS)[number];

/** What somebody waits for. */
export interface WaitRequest {
  readonly for: WaitFor;
  readonly where: Matcher | null;
  readonly after: number | 'start' | 'now' | 'mark';
  readonly count: number;
  readonly timeoutMs: number;
  readonly quietMs: number;
}

/** @throws RestError 400 with the path of what is wrong */
export function readWait(body: Readonly<Record<string, unknown>>): WaitRequest {
  const what = body['for'];
  if (!WAITS.includes(what as WaitFor)) throw new RestError(400, `for: must be one of ${WAITS.join(', ')}`);
  const where = body['where'];
  if (where !== undefined && where !== null && !isObject(where)) throw new RestError(400, 'where: must be an object');
  return {
    for: what as WaitFor,
    where: where === undefined || where === null ? null : matcherOf(where, 'where'),
    after: readAfter(body['after'], what === 'quiet'),
    count: whole(body['count'] ?? 1, 'count', 1, 1_000),
    timeoutMs: whole(body['timeout_ms'] ?? 5_000, 'timeout_ms', 0, 60_000),
    quietMs: whole(body['quiet_ms'] ?? 200, 'quiet_ms', 0, 60_000),
  };
}

/** Silence begins now unless it is said from where on. */
function readAfter(after: unknown, isQuiet: boolean): WaitRequest['after'] {
  if (after === undefined || after === null) return isQuiet ? 'now' : 'mark';
  if (after === 'start' || after === 'now' || after === 'mark') return after;
  if (typeof after !== 'string') throw new RestError(400, 'after: must be a cursor, start or now');
  return demandSeq(after);
}

function whole(value: unknown, path: string, low: number, high: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < low || value > high) {
    throw new RestError(400, `${path}: must be a whole number from ${low} to ${high}`);
  }
  return value;
}
