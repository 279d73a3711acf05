import {
  type Call,
  type CallOf,
  callsOf,
  latest,
  mayBeReset,
  mayHaveHappened,
  type SeenStream,
  type Violation,
} from '../history.js';
import { groupBy } from '../../../src/kernel/group-by.js';

type Write = CallOf<'streamStart' | 'streamAppend' | 'streamStop'>;

/**
 * A message that grows: whoever reads it sees each append that was acknowledged before, once, in order, and none that
 * was refused; and nothing is appended after its end.
 */
export function checkStreams(calls: readonly Call[]): Violation[] {
  const resets = callsOf(calls, 'reset');
  const writes = callsOf(calls, 'streamStart', 'streamAppend', 'streamStop');
  const byWord = new Map(writes.map((write) => [write.text, write]));
  const byStream = groupBy(writes, streamOf);
  // undefined: a stream whose start was not answered, or has been lost
  const byThread = groupBy([...byStream], ([, all]) => all.find((write) => write.op === 'streamStart')?.thread);
  return [
    ...[...byStream.values()].flatMap(afterTheEnd),
    ...callsOf(calls, 'streams').flatMap((read) => {
      if (read.outcome !== 'ok' || !read.answer) return [];
      const shown = new Map<string | undefined, readonly string[]>();
      for (const { ts, words } of read.answer.streams) shown.set(ts, words);
      return [
        ...read.answer.streams.flatMap((stream) => wrongWords(read, stream, byWord)),
        ...(byThread.get(read.thread) ?? []).flatMap(([ts, all]) => lost(read, shown.get(ts) ?? [], all, resets)),
      ];
    }),
  ];
}

/** Undefined: its start was not answered. */
const streamOf = (write: Write): string | undefined => (write.op === 'streamStart' ? write.answer?.ts : write.ts);

function afterTheEnd(all: readonly Write[]): Violation[] {
  const end = all.find(({ op, outcome }) => op === 'streamStop' && outcome === 'ok');
  const late = end && all.find(({ outcome, start }) => outcome === 'ok' && start > end.end);
  return end && late ? [{ kind: 'appended after the end', what: late.text, calls: [end, late] }] : [];
}

function wrongWords(
  read: CallOf<'streams'>,
  { ts, words }: SeenStream,
  byWord: ReadonlyMap<string, Write>,
): Violation[] {
  const violations = words.flatMap((word, i): Violation[] => {
    const write = byWord.get(word);
    if (!write) return [{ kind: 'invented text', what: `${word} in a stream`, calls: [read] }];
    const violation = (kind: string): Violation[] => [{ kind, what: `${word} in a stream`, calls: [write, read] }];
    if (!mayHaveHappened(write)) return violation('refused write');
    if (write.start > read.end) return violation('read before it was written');
    if (streamOf(write) !== undefined && streamOf(write) !== ts) return violation('in another stream');
    return words.indexOf(word) < i ? violation('appended twice') : [];
  });
  const written = words.flatMap((word) => byWord.get(word) ?? []);
  // what nobody answered may have come at any time
  const sure = written.filter(({ outcome }) => outcome === 'ok');
  const wrong = sure.findIndex((write, i) => i > 0 && write.end < (sure[i - 1] as Write).start);
  if (wrong < 0) return violations;
  const both = [sure[wrong - 1], sure[wrong]] as Write[];
  return [...violations, { kind: 'appended out of order', what: sure[wrong]?.text ?? '', calls: [...both, read] }];
}

function lost(
  read: CallOf<'streams'>,
  words: readonly string[],
  all: readonly Write[],
  resets: readonly CallOf<'reset'>[],
): Violation[] {
  return all.flatMap((write) => {
    if (write.outcome !== 'ok' || latest(write) >= read.start || words.includes(write.text)) return [];
    if (mayBeReset(resets, Math.min(...all.map(({ start }) => start)), read.end)) return [];
    return [{ kind: 'lost write', what: `${write.text} of a stream`, calls: [write, read] }];
  });
}
