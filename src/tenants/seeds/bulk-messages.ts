import type { SeedMessage } from './seed-types.js';

const WORDS =
  'alpha build cache deploy error fix green hotfix issue join kick log merge node open patch queue release ship test'.split(
    ' ',
  );

/** Generates this many messages from a fixed list of words: the same document gives the same texts. */
export function bulkMessages(count: number, seed: unknown, path: string): SeedMessage[] {
  let state = typeof seed === 'number' ? seed >>> 0 : 1;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return Array.from({ length: count }, (_, i) => ({
    as: 'admin',
    text: Array.from({ length: 3 + next(8) }, () => WORDS[next(WORDS.length)]).join(' '),
    at: undefined,
    ts: undefined,
    thread: undefined,
    reactions: {},
    ref: undefined,
    blocks: undefined,
    attachments: undefined,
    path: `${path}[${i}]`,
  }));
}
