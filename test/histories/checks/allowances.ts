import { type Call, type CallOf, callsOf, latest, mayHaveHappened, type Violation } from '../history.js';
import { groupBy } from '../../../src/kernel/group-by.js';

/**
 * An allowance of so many calls in a sliding window is given out exactly: none too many, and none is refused while some
 * are left. A crash of the database begins it afresh.
 */
export function checkAllowances(calls: readonly Call[], crashes: readonly number[] = []): Violation[] {
  return [...groupBy(callsOf(calls, 'limited'), ({ method }) => method).values()].flatMap((all) => [
    ...tooMany(all, crashes),
    ...tooFew(all, crashes),
  ]);
}

function tooMany(all: readonly CallOf<'limited'>[], crashes: readonly number[]): Violation[] {
  const given = all.filter(({ outcome }) => outcome === 'ok').toSorted((a, b) => a.start - b.start);
  for (const [i, first] of given.entries()) {
    const inWindow = given.slice(i).filter(({ end }) => end < first.start + first.windowMs);
    const last = Math.max(...inWindow.map(({ end }) => end));
    if (inWindow.length <= first.limit || crashes.some((at) => at >= first.start && at <= last)) continue;
    return [{ kind: 'allowance', what: `${inWindow.length} of ${first.limit} were given`, calls: inWindow }];
  }
  return [];
}

function tooFew(all: readonly CallOf<'limited'>[], crashes: readonly number[]): Violation[] {
  const early = all.find((call) => {
    if (call.outcome !== 'refused' || call.error !== 'ratelimited') return false;
    const since = Math.max(call.start - call.windowMs, ...crashes.filter((at) => at < call.start));
    const counted = all.filter(
      (other) => other !== call && mayHaveHappened(other) && other.start <= call.end && latest(other) >= since,
    );
    return counted.length < call.limit;
  });
  return early ? [{ kind: 'allowance', what: 'one was refused while some were left', calls: [early] }] : [];
}
