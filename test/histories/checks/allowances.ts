import { type Call, type CallOf, callsOf, mayHaveHappened, type Violation } from '../history.js';
import { groupBy } from '../../../src/kernel/group-by.js';

/**
 * An allowance of so many calls in a window is given out exactly: none too many, and none is refused while some are
 * left. The window is counted from the first call on.
 */
export function checkAllowances(calls: readonly Call[]): Violation[] {
  return [...groupBy(callsOf(calls, 'limited'), ({ key }) => key).values()].flatMap((all) => {
    const [first] = all.toSorted((a, b) => a.start - b.start) as [CallOf<'limited'>];
    const inWindow = all.filter(({ end }) => end < first.start + first.windowMs);
    const given = inWindow.filter(({ outcome }) => outcome === 'ok');
    if (given.length > first.limit) {
      return [{ kind: 'allowance', what: `${given.length} of ${first.limit} were given`, calls: given }];
    }
    const early = inWindow.find((call) => {
      if (call.outcome !== 'refused' || call.error !== 'ratelimited') return false;
      const before = all.filter((other) => other !== call && mayHaveHappened(other) && other.start <= call.end);
      return before.length < first.limit;
    });
    return early ? [{ kind: 'allowance', what: 'one was refused while some were left', calls: [early] }] : [];
  });
}
