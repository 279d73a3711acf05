import { check } from './check.js';
import type { Call, History, Violation } from './history.js';

/** How long smaller histories are looked for, in milliseconds. */
const LOOK_MS = 60_000;

/** The smallest history found in which the violation still shows: parts are left out as long as it does. */
export function shrink(history: History, { kind, what, calls: shown }: Violation): History {
  const stillFails = (calls: readonly Call[]): boolean =>
    check({ ...history, calls }).some((violation) => violation.kind === kind && violation.what === what);
  if (shown.length > 0 && stillFails(shown)) return { ...history, calls: shown };
  const until = performance.now() + LOOK_MS;
  // each tenant is judged by itself
  const [{ tenant } = { tenant: undefined }] = shown;
  let calls = tenant === undefined ? history.calls : history.calls.filter((call) => call.tenant === tenant);
  for (let size = Math.ceil(calls.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < calls.length && performance.now() < until;) {
      const left = [...calls.slice(0, from), ...calls.slice(from + size)];
      if (left.length < calls.length && stillFails(left)) calls = left;
      else from += size;
    }
  }
  return { ...history, calls };
}

/** A violation with its smallest history and the command that repeats the run. */
export function describeViolation(history: History, violation: Violation, command: string): string {
  const { calls } = shrink(history, violation);
  const lines = calls.map(({ id, client, start, end, ...call }) => {
    const { answer, ...asked } = call as { answer?: object };
    return `  ${start.toFixed(0)}–${end.toFixed(0)} ${client} #${id} ${JSON.stringify(asked)} → ${JSON.stringify(answer)?.slice(0, 300)}`;
  });
  return [`${violation.kind}: ${violation.what}`, ...lines, `Again: ${command}`].join('\n');
}
