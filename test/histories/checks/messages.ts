import {
  type Call,
  type CallOf,
  callsOf,
  lastReset,
  mayBeReset,
  mayHaveHappened,
  type SeenMessage,
  type Violation,
} from '../history.js';
import { groupBy } from '../../../src/kernel/group-by.js';
import { possibleValues, type Write } from '../register.js';

type Post = CallOf<'post'>;
type Edit = CallOf<'edit'>;

/** A message that was read, and by whom. */
interface Sight {
  readonly read: CallOf<'history' | 'replies'>;
  readonly message: SeenMessage;
}

/** What was posted is there, as it was written last, until it is deleted; what was refused never is. */
export function checkMessages(calls: readonly Call[]): Violation[] {
  const posts = callsOf(calls, 'post');
  const acknowledged = posts.flatMap((post) =>
    post.outcome === 'ok' && post.answer
      ? [{ post, ts: post.answer.ts, key: keyOf(post.channel, post.answer.ts) }]
      : [],
  );
  // after a reset another message may have the `ts` of one that is no more
  const byTs = new Map<string, Post>();
  for (const [key, [one, other]] of groupBy(acknowledged, ({ key: own }) => own))
    if (one && !other) byTs.set(key, one.post);
  const resets = callsOf(calls, 'reset');
  const deletes = groupBy(callsOf(calls, 'delete').filter(mayHaveHappened), ({ channel, ts }) => keyOf(channel, ts));
  const places = placesOf(calls);
  const edits = groupBy(callsOf(calls, 'edit'), ({ channel, ts }) => keyOf(channel, ts));
  const sights = sightsOf(calls);
  return [
    ...lost(acknowledged, deletes, resets, places),
    ...refusedOrUnknown(calls, sights),
    ...stale(byTs, edits, resets, sights),
    ...deletedButSeen(deletes, resets, sights),
    ...seenAndGone(sights, deletes, resets, places),
  ];
}

const keyOf = (channel: string, ts: string): string => `${channel} ${ts}`;

function sightsOf(calls: readonly Call[]): Sight[] {
  return callsOf(calls, 'history', 'replies').flatMap((read) => {
    if (read.outcome !== 'ok' || !read.answer) return [];
    const messages = 'pages' in read.answer ? read.answer.pages.flat() : read.answer.messages;
    return messages.map((message) => ({ read, message }));
  });
}

/** What a read of a channel, or of a thread, must hold everything of. */
interface Place {
  readonly read: CallOf<'history' | 'replies'>;
  /** The channel, or the thread. */
  readonly key: string;
  /** Older messages than this were not asked for. */
  readonly oldest: string;
  readonly there: ReadonlySet<string>;
}

const placeOf = (channel: string, thread: string | undefined): string =>
  thread === undefined ? channel : keyOf(channel, thread);

function placesOf(calls: readonly Call[]): Place[] {
  return callsOf(calls, 'history', 'replies').flatMap((read) => {
    if (read.outcome !== 'ok' || !read.answer) return [];
    const messages = 'pages' in read.answer ? read.answer.pages.flat() : read.answer.messages;
    const key = placeOf(read.channel, read.op === 'replies' ? read.ts : undefined);
    const { oldest = '' } = 'pages' in read.answer ? read.answer : {};
    return [{ read, key, oldest, there: new Set(messages.map(({ ts }) => ts)) }];
  });
}

/** Deletions that may have happened, by message. */
type Deletes = ReadonlyMap<string, readonly CallOf<'delete'>[]>;

const isDeletedBefore = (deletes: Deletes, channel: string, ts: string, before: number): boolean =>
  deletes.get(keyOf(channel, ts))?.some(({ start }) => start <= before) ?? false;

function lost(
  acknowledged: readonly { readonly post: Post; readonly ts: string }[],
  deletes: Deletes,
  resets: readonly CallOf<'reset'>[],
  places: readonly Place[],
): Violation[] {
  const violations: Violation[] = [];
  const byPlace = groupBy(acknowledged, ({ post: { channel, thread } }) => placeOf(channel, thread));
  for (const { read, key, oldest, there } of places) {
    const resetAt = lastReset(resets, read.end);
    for (const { post, ts } of byPlace.get(key) ?? []) {
      if (post.end >= read.start || post.start <= resetAt || there.has(ts) || ts < oldest) continue;
      if (isDeletedBefore(deletes, post.channel, ts, read.end)) continue;
      if (post.thread !== undefined && isDeletedBefore(deletes, post.channel, post.thread, read.end)) continue;
      violations.push({
        kind: 'lost write',
        what: `${post.text} was acknowledged and is not read`,
        calls: [post, read],
      });
    }
  }
  return violations;
}

function refusedOrUnknown(calls: readonly Call[], sights: readonly Sight[]): Violation[] {
  const writers = new Map(callsOf(calls, 'post', 'edit').map((call) => [call.text, call]));
  const violations: Violation[] = [];
  for (const { read, message } of sights) {
    const writer = writers.get(message.text);
    if (!writer) violations.push({ kind: 'invented text', what: `${message.text} was never written`, calls: [read] });
    else if (writer.outcome === 'refused') {
      violations.push({
        kind: 'refused write',
        what: `${message.text} was refused and is read`,
        calls: [writer, read],
      });
    } else if (writer.start > read.end) {
      violations.push({ kind: 'read before written', what: message.text, calls: [writer, read] });
    }
  }
  return violations;
}

/** A message shows its last text. */
function stale(
  byTs: ReadonlyMap<string, Post>,
  edits: ReadonlyMap<string, readonly Edit[]>,
  resets: readonly CallOf<'reset'>[],
  sights: readonly Sight[],
): Violation[] {
  return sights.flatMap(({ read, message }) => {
    const key = keyOf(read.channel, message.ts);
    const post = byTs.get(key);
    if (!post || mayBeReset(resets, post.start, read.end)) return [];
    const writes: Write<string>[] = [post, ...(edits.get(key) ?? [])].map((call) => ({ call, value: call.text }));
    if (possibleValues(writes, read.start, read.end).has(message.text)) return [];
    const what = `${message.text} was read where another text had replaced it`;
    return [{ kind: 'stale read', what, calls: [...writes.map(({ call }) => call), read] }];
  });
}

function deletedButSeen(deletes: Deletes, resets: readonly CallOf<'reset'>[], sights: readonly Sight[]): Violation[] {
  return sights.flatMap(({ read, message }) => {
    const deleted = deletes.get(keyOf(read.channel, message.ts))?.findLast(({ outcome }) => outcome === 'ok');
    if (!deleted || deleted.end >= read.start || mayBeReset(resets, deleted.start, read.end)) return [];
    return [{ kind: 'deleted but read', what: message.text, calls: [deleted, read] }];
  });
}

/** What one read showed, the next one of the same place shows as well. */
function seenAndGone(
  sights: readonly Sight[],
  deletes: Deletes,
  resets: readonly CallOf<'reset'>[],
  places: readonly Place[],
): Violation[] {
  const first = new Map<string, Sight>();
  for (const sight of sights) {
    const key = keyOf(sight.read.channel, sight.message.ts);
    const known = first.get(key);
    if (!known || sight.read.end < known.read.end) first.set(key, sight);
  }
  const byPlace = groupBy(first.values(), ({ read, message: { ts, thread } }) =>
    placeOf(read.channel, thread === ts ? undefined : thread),
  );
  const violations: Violation[] = [];
  for (const { read, key, oldest, there } of places) {
    const resetAt = lastReset(resets, read.end);
    for (const { read: before, message } of byPlace.get(key) ?? []) {
      const { ts, thread } = message;
      if (before.end >= read.start || before.start <= resetAt || there.has(ts) || ts < oldest) continue;
      if ([ts, thread ?? ts].some((one) => isDeletedBefore(deletes, read.channel, one, read.end))) continue;
      violations.push({ kind: 'seen and gone', what: message.text, calls: [before, read] });
    }
  }
  return violations;
}
