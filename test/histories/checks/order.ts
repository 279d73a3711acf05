import { type Call, callsOf, mayBeReset, type Violation } from '../history.js';
import { groupBy } from '../../../src/kernel/group-by.js';

/** Something that got a number of a sequence. */
interface Numbered {
  readonly call: Call;
  readonly number: string | number;
}

/** `ts`, issue numbers and sync ids are unique and ascend in real time. */
export function checkOrder(calls: readonly Call[]): Violation[] {
  const resets = callsOf(calls, 'reset');
  const isBetween = (from: Call, to: Call): boolean => mayBeReset(resets, from.start, to.end);
  const posts = callsOf(calls, 'post').flatMap((call) =>
    call.outcome === 'ok' && call.answer ? [{ call, number: call.answer.ts, channel: call.channel }] : [],
  );
  const created = callsOf(calls, 'issueCreate').flatMap((call) =>
    call.outcome === 'ok' && call.answer ? [{ call, number: call.answer.issue.number, team: call.team }] : [],
  );
  const synced = callsOf(calls, 'issueCreate', 'issueUpdate').flatMap((call) =>
    call.outcome === 'ok' && call.answer ? [{ call, number: call.answer.syncId }] : [],
  );
  return [
    ...[...groupBy(posts, ({ channel }) => channel).values()].flatMap((all) => ascend('ts', all, isBetween)),
    ...[...groupBy(created, ({ team }) => team).values()].flatMap((all) => ascend('issue number', all, isBetween)),
    // it never goes back, not even with a reset
    ...ascend('sync id', synced, () => false),
  ];
}

function ascend(what: string, all: readonly Numbered[], isReset: (from: Call, to: Call) => boolean): Violation[] {
  const violations: Violation[] = [];
  const known = new Map<string | number, Call>();
  for (const { call, number } of all) {
    const other = known.get(number);
    if (other && !isReset(other, call) && !isReset(call, other)) {
      violations.push({ kind: `${what} twice`, what: String(number), calls: [other, call] });
    }
    known.set(number, call);
  }
  // the largest number of the calls that had ended before each call began
  const byEnd = all.toSorted((a, b) => a.call.end - b.call.end);
  let at = 0;
  let largest: Numbered | undefined;
  for (const each of all.toSorted((a, b) => a.call.start - b.call.start)) {
    for (let ended = byEnd[at]; ended && ended.call.end < each.call.start; ended = byEnd[++at]) {
      // of what met a reset nobody knows on which side of it it was
      if (isReset(ended.call, ended.call)) continue;
      if (!largest || ended.number > largest.number || isReset(largest.call, ended.call)) largest = ended;
    }
    if (!largest || largest.number <= each.number || isReset(largest.call, each.call)) continue;
    const found = `${each.number} was given after ${largest.number} had been`;
    violations.push({ kind: `${what} out of order`, what: found, calls: [largest.call, each.call] });
  }
  return violations;
}
