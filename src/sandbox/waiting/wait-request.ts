import { readMatcher, type Matcher } from '../../kernel/matchers/matcher.js';
import { requireSeq } from '../timeline/cursor.js';
import type { WaitFor } from './wait-kinds.js';
import type { WaitBody } from './waits.dto.js';

/** The request of a wait. */
export interface WaitRequest {
  readonly for: WaitFor;
  readonly where: Matcher | null;
  readonly after: number | 'start' | 'now' | 'mark';
  readonly count: number;
  readonly timeoutMs: number;
  readonly quietMs: number;
}

/** @throws RestError 400 invalid_cursor */
export function readWait(body: WaitBody): WaitRequest {
  const { where, after, count, timeout_ms: timeoutMs, quiet_ms: quietMs } = body;
  const what = body.for === 'message' && body.ephemeral === true ? 'ephemeral' : body.for;
  return {
    for: what,
    where: where === undefined || where === null ? null : readMatcher(where),
    after: readAfter(after ?? null, what === 'quiet'),
    count: count ?? 1,
    timeoutMs: timeoutMs ?? 5_000,
    quietMs: quietMs ?? 200,
  };
}

/** `quiet` begins now unless the request names a start. */
function readAfter(after: string | null, isQuiet: boolean): WaitRequest['after'] {
  if (after === null) return isQuiet ? 'now' : 'mark';
  return after === 'start' || after === 'now' || after === 'mark' ? after : requireSeq(after);
}
