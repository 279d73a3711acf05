import { type Call, type CallOf, callsOf, mayHaveHappened, type SeenMessage, type Violation } from '../history.js';

/** A reset is never half seen, and what was before it never comes again. */
export function checkResets(calls: readonly Call[]): Violation[] {
  const resets = callsOf(calls, 'reset').filter(mayHaveHappened);
  const posts = new Map(callsOf(calls, 'post').map((post) => [post.text, post]));
  const deletes = callsOf(calls, 'delete').filter(mayHaveHappened);
  return callsOf(calls, 'history').flatMap((read) => {
    if (read.outcome !== 'ok' || !read.answer) return [];
    return [
      ...survived(read, read.answer.pages.flat(), resets, posts),
      ...half(read, read.answer.pages, resets, [...posts.values()], deletes),
    ];
  });
}

function survived(
  read: CallOf<'history'>,
  messages: readonly SeenMessage[],
  resets: readonly CallOf<'reset'>[],
  posts: ReadonlyMap<string, CallOf<'post'>>,
): Violation[] {
  return messages.flatMap(({ text }) => {
    const post = posts.get(text);
    if (post?.outcome !== 'ok') return [];
    const reset = resets.find(({ outcome, start, end }) => outcome === 'ok' && start > post.end && end < read.start);
    return reset ? [{ kind: 'survived a reset', what: text, calls: [post, reset, read] }] : [];
  });
}

/** One page is one statement: of what was there before the reset it shows everything or nothing. */
function half(
  read: CallOf<'history'>,
  pages: readonly (readonly SeenMessage[])[],
  resets: readonly CallOf<'reset'>[],
  posts: readonly CallOf<'post'>[],
  deletes: readonly CallOf<'delete'>[],
): Violation[] {
  if (pages.length !== 1) return [];
  const during = resets.filter(({ start, end }) => start <= read.end && end >= read.start);
  const [reset] = during;
  if (!reset || resets.some((other) => other !== reset && other.end >= reset.start - 1 && other.start <= reset.start))
    return [];
  const since = Math.max(0, ...resets.filter(({ end }) => end < reset.start).map(({ end }) => end));
  const old = posts.filter(
    ({ outcome, channel, thread, start, end, answer }) =>
      outcome === 'ok' &&
      channel === read.channel &&
      thread === undefined &&
      start > since &&
      end < Math.min(reset.start, read.start) &&
      !deletes.some(({ ts }) => ts === answer?.ts),
  );
  const seen = new Set(pages[0]?.map(({ text }) => text));
  // a text that was edited is not looked for: its message may be there with another one
  const there = new Set(pages[0]?.map(({ ts }) => ts));
  const found = old.filter(({ text, answer }) => seen.has(text) || there.has(answer?.ts ?? ''));
  if (found.length === 0 || found.length === old.length) return [];
  const missing = old.find((post) => !found.includes(post)) as Call;
  const what = `${found.length} of ${old.length} messages of before`;
  return [{ kind: 'half a reset', what, calls: [found[0] as Call, missing, reset, read] }];
}
