import {
  type Call,
  type CallOf,
  callsOf,
  latest,
  mayBeReset,
  mayHaveHappened,
  type SeenMessage,
  type Violation,
} from '../history.js';
import { groupBy } from '../../../src/kernel/group-by.js';

/**
 * A reset is never half seen; what was made since the state that it goes back to never comes again, and what was there
 * in that state is.
 */
export function checkResets(calls: readonly Call[]): Violation[] {
  const resets = callsOf(calls, 'reset').filter(mayHaveHappened);
  const snapshots = new Map(callsOf(calls, 'snapshot').map((call) => [call.name, call]));
  const posts = new Map(callsOf(calls, 'post').map((post) => [post.text, post]));
  const roots = groupBy(
    callsOf(calls, 'post').filter(({ thread }) => thread === undefined),
    ({ channel }) => channel,
  );
  const deletes = callsOf(calls, 'delete').filter(mayHaveHappened);
  return callsOf(calls, 'history').flatMap((read) => {
    if (read.outcome !== 'ok' || !read.answer) return [];
    return [
      ...survived(read, read.answer.pages.flat(), resets, posts),
      ...putBack(read, read.answer.pages.flat(), resets, snapshots, roots.get(read.channel) ?? [], deletes),
      ...half(read, read.answer.pages, resets, roots.get(read.channel) ?? [], deletes),
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
    const reset = resets.find(
      ({ outcome, start, end, to }) =>
        to === undefined && outcome === 'ok' && start > post.end && end < read.start && !isGoneBackSince(resets, start),
    );
    return reset ? [{ kind: 'survived a reset', what: text, calls: [post, reset, read] }] : [];
  });
}

/** Whether a snapshot may have brought back what an earlier reset had taken. */
const isGoneBackSince = (resets: readonly CallOf<'reset'>[], start: number): boolean =>
  resets.some((reset) => reset.to !== undefined && latest(reset) >= start);

/** After a reset to a snapshot, a read shows what had been posted before the snapshot, and nothing of since. */
function putBack(
  read: CallOf<'history'>,
  messages: readonly SeenMessage[],
  resets: readonly CallOf<'reset'>[],
  snapshots: ReadonlyMap<string, CallOf<'snapshot'>>,
  posts: readonly CallOf<'post'>[],
  deletes: readonly CallOf<'delete'>[],
): Violation[] {
  const reset = resets.findLast(({ outcome, end }) => outcome === 'ok' && end < read.start);
  const snapshot = reset?.to === undefined ? undefined : snapshots.get(reset.to);
  if (!reset || snapshot?.outcome !== 'ok' || snapshot.end >= reset.start) return [];
  // nothing else may have taken the state elsewhere
  if (resets.some((other) => other !== reset && other.start <= read.end && latest(other) >= reset.start)) return [];
  const there = new Set(messages.map(({ ts }) => ts));
  const texts = new Set(messages.map(({ text }) => text));
  return posts.flatMap((post) => {
    if (post.outcome !== 'ok' || !post.answer) return [];
    const { ts } = post.answer;
    if (post.start > snapshot.end && post.end < reset.start && texts.has(post.text)) {
      return [{ kind: 'survived a reset', what: post.text, calls: [snapshot, post, reset, read] }];
    }
    if (there.has(ts) || ts < (read.answer?.oldest ?? '')) return [];
    const wasThere = post.end < snapshot.start && !mayBeReset(resets, post.start, snapshot.end);
    // deleted before the snapshot, or again after the reset
    const isDeleted = deletes.some(
      (call) =>
        call.ts === ts && call.channel === post.channel && (call.start <= snapshot.end || latest(call) >= reset.start),
    );
    if (!wasThere || isDeleted) return [];
    return [{ kind: 'lost by a reset', what: post.text, calls: [post, snapshot, reset, read] }];
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
  if (pages.length !== 1 || read.answer?.oldest !== undefined) return [];
  const during = resets.filter((reset) => reset.start <= read.end && latest(reset) >= read.start);
  const [reset] = during;
  if (
    !reset ||
    // a snapshot may have some of them
    during.some(({ to }) => to !== undefined) ||
    resets.some((other) => other !== reset && other.end >= reset.start - 1 && other.start <= reset.start)
  )
    return [];
  const since = Math.max(0, ...resets.filter(({ end }) => end < reset.start).map(({ end }) => end));
  const old = posts.filter(
    ({ outcome, start, end, answer }) =>
      outcome === 'ok' &&
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
