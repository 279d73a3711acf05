import {
  type Call,
  type CallOf,
  callsOf,
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
    post.outcome === 'ok' && post.answer ? [{ post, key: keyOf(post.channel, post.answer.ts) }] : [],
  );
  // after a reset another message may have the `ts` of one that is no more
  const byTs = new Map<string, Post>();
  for (const [key, [one, other]] of groupBy(acknowledged, ({ key: own }) => own))
    if (one && !other) byTs.set(key, one.post);
  const resets = callsOf(calls, 'reset');
  const deletes = callsOf(calls, 'delete');
  const edits = groupBy(callsOf(calls, 'edit'), ({ channel, ts }) => keyOf(channel, ts));
  const sights = sightsOf(calls);
  return [
    ...lost(posts, deletes, resets, calls),
    ...refusedOrUnknown(calls, sights),
    ...stale(byTs, edits, resets, sights),
    ...deletedButSeen(deletes, resets, sights),
    ...seenAndGone(sights, deletes, resets, calls),
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

/** What a full read of a channel, or of a thread, must hold everything of. */
interface Place {
  readonly read: CallOf<'history' | 'replies'>;
  /** Undefined: the channel itself. */
  readonly thread: string | undefined;
  readonly there: ReadonlySet<string>;
}

function placesOf(calls: readonly Call[]): Place[] {
  return callsOf(calls, 'history', 'replies').flatMap((read) => {
    if (read.outcome !== 'ok' || !read.answer) return [];
    const messages = 'pages' in read.answer ? read.answer.pages.flat() : read.answer.messages;
    return [
      { read, thread: read.op === 'replies' ? read.ts : undefined, there: new Set(messages.map(({ ts }) => ts)) },
    ];
  });
}

const isDeletedBefore = (deletes: readonly CallOf<'delete'>[], channel: string, ts: string, before: number): boolean =>
  deletes.some((call) => call.ts === ts && call.channel === channel && mayHaveHappened(call) && call.start <= before);

function lost(
  posts: readonly Post[],
  deletes: readonly CallOf<'delete'>[],
  resets: readonly CallOf<'reset'>[],
  calls: readonly Call[],
): Violation[] {
  const violations: Violation[] = [];
  for (const { read, thread, there } of placesOf(calls)) {
    for (const post of posts) {
      if (post.outcome !== 'ok' || !post.answer || post.end >= read.start) continue;
      if (post.channel !== read.channel || post.thread !== thread || there.has(post.answer.ts)) continue;
      const { ts } = post.answer;
      if (isDeletedBefore(deletes, post.channel, ts, read.end)) continue;
      if (post.thread !== undefined && isDeletedBefore(deletes, post.channel, post.thread, read.end)) continue;
      if (mayBeReset(resets, post.start, read.end)) continue;
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

function deletedButSeen(
  deletes: readonly CallOf<'delete'>[],
  resets: readonly CallOf<'reset'>[],
  sights: readonly Sight[],
): Violation[] {
  const gone = new Map(
    deletes.filter(({ outcome }) => outcome === 'ok').map((call) => [keyOf(call.channel, call.ts), call]),
  );
  return sights.flatMap(({ read, message }) => {
    const deleted = gone.get(keyOf(read.channel, message.ts));
    if (!deleted || deleted.end >= read.start || mayBeReset(resets, deleted.start, read.end)) return [];
    return [{ kind: 'deleted but read', what: message.text, calls: [deleted, read] }];
  });
}

/** What one read showed, the next one of the same place shows as well. */
function seenAndGone(
  sights: readonly Sight[],
  deletes: readonly CallOf<'delete'>[],
  resets: readonly CallOf<'reset'>[],
  calls: readonly Call[],
): Violation[] {
  const first = new Map<string, Sight>();
  for (const sight of sights) {
    const key = keyOf(sight.read.channel, sight.message.ts);
    const known = first.get(key);
    if (!known || sight.read.end < known.read.end) first.set(key, sight);
  }
  const violations: Violation[] = [];
  for (const { read, thread: place, there } of placesOf(calls)) {
    for (const { read: before, message } of first.values()) {
      const { ts, thread } = message;
      if (before.channel !== read.channel || before.end >= read.start || there.has(ts)) continue;
      if (place !== (thread === ts ? undefined : thread)) continue;
      if ([ts, thread ?? ts].some((one) => isDeletedBefore(deletes, read.channel, one, read.end))) continue;
      if (mayBeReset(resets, before.start, read.end)) continue;
      violations.push({ kind: 'seen and gone', what: message.text, calls: [before, read] });
    }
  }
  return violations;
}
