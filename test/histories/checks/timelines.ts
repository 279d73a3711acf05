import {
  type Call,
  type CallOf,
  callsOf,
  type Delivery,
  type History,
  lastReset,
  type SeenEntry,
  type Violation,
} from '../history.js';
import { groupBy } from '../../../src/kernel/group-by.js';

type Post = CallOf<'post'>;
type Read = CallOf<'timeline'>;

/** What a process that ends has not stored: calls and attempts of its last moments, in milliseconds; */
const UNSTORED_MS = 3_000;
/** and as much longer as a call took then, as what is stored waits for the same database. */
const SLOW = ['post', 'edit', 'react', 'issueCreate', 'issueUpdate'] as const;
/** Whom a read has waited for so long, it does without: a replica that stands still, or is too busy to answer. */
const GIVEN_UP_MS = 6_000;
/** How soon after an outage of the database every replica can be asked again what it has not stored yet; */
const CONNECTED_MS = 2_000;
/** a read waits for that, unless the outage is longer. */
const LONG_OUTAGE_MS = GIVEN_UP_MS - CONNECTED_MS;

/**
 * Each acknowledged post is on the timeline once, with its event before its call, and what was accepted of its
 * deliveries; a wait says what happened, and not earlier. A killed process loses the last calls, those since the
 * database went away among them, but no event. What a read could not wait for is missing from it.
 */
export function checkTimelines(
  calls: readonly Call[],
  deliveries: readonly Delivery[],
  { kills = [], stalls = [], outages = [] }: Pick<History, 'kills' | 'stalls' | 'outages'>,
): Violation[] {
  const posts = new Map(callsOf(calls, 'post').map((post) => [post.text, post]));
  const acknowledged = groupBy(
    [...posts.values()].filter(({ outcome }) => outcome === 'ok'),
    ({ channel }) => channel,
  );
  const resets = callsOf(calls, 'reset');
  const writes = callsOf(calls, ...SLOW);
  const longestAt = (from: number, to: number): number =>
    writes.reduce(
      (longest, { start, end }) => (start <= to && end >= from ? Math.max(longest, end - start) : longest),
      0,
    );
  const isLost = (from: number, to: number): boolean => {
    const waited = outages.filter((outage) => outage.from <= to + UNSTORED_MS && outage.to >= from);
    const since = Math.max(to, ...waited.map((outage) => outage.to)) + UNSTORED_MS;
    const until = since + longestAt(to, since);
    return kills.some((at) => at >= from && at <= until);
  };
  return [
    ...callsOf(calls, 'timeline').flatMap((read) => {
      const { entries = [] } = read.answer ?? {};
      if (read.outcome !== 'ok') return [];
      const resetAt = lastReset(resets, read.end);
      return [
        ...wrong(read, entries, posts),
        ...twice(read, entries, posts),
        ...disorder(read, entries, posts, resetAt),
        ...missing(read, entries, acknowledged, resetAt, isLost, { stalls, outages }),
        ...(read.isWhole ? undelivered(read, entries, deliveries, isLost) : []),
      ];
    }),
    ...callsOf(calls, 'wait').flatMap((wait) => waited(wait, posts, resets)),
  ];
}

function wrong(read: Read, entries: readonly SeenEntry[], posts: ReadonlyMap<string, Post>): Violation[] {
  return entries.flatMap(({ kind, text, ts, isOk }): Violation[] => {
    const post = posts.get(text);
    const violation = (what: string, calls: Call[]): Violation[] => [
      { kind: what, what: `${text} as ${kind} on the timeline`, calls },
    ];
    if (!post) return violation('invented text', [read]);
    // that it was refused is on the timeline as well
    if (kind === 'call' && isOk === false) return [];
    if (post.outcome === 'refused') return violation('refused write', [post, read]);
    if (post.start > read.end) return violation('read before written', [post, read]);
    if (post.answer && post.answer.ts !== ts) return violation('another answer on the timeline', [post, read]);
    return [];
  });
}

const only = (posts: ReadonlyMap<string, Post>, text: string, read: Read): Call[] => {
  const post = posts.get(text);
  return post ? [post, read] : [read];
};

/** Deliveries may be tried again. */
function twice(read: Read, entries: readonly SeenEntry[], posts: ReadonlyMap<string, Post>): Violation[] {
  const known = new Set<string>();
  return entries.flatMap(({ kind, text }) => {
    const key = `${kind} ${text}`;
    if (kind === 'delivery' || !known.has(key)) {
      known.add(key);
      return [];
    }
    return [{ kind: 'twice on the timeline', what: key, calls: only(posts, text, read) }];
  });
}

/** Newest first: the events of a channel by their `ts`, and each before its call. */
function disorder(
  read: Read,
  entries: readonly SeenEntry[],
  posts: ReadonlyMap<string, Post>,
  resetAt: number,
): Violation[] {
  const violations: Violation[] = [];
  const newer = new Map<string, string>();
  const causes = new Set<string>();
  for (const { kind, channel, ts, text, isOk } of entries) {
    // what nobody knew of when its call was answered may have happened later
    if (kind === 'call' && isOk !== false && causes.has(text)) {
      violations.push({ kind: 'call before its event', what: text, calls: only(posts, text, read) });
    }
    if (kind !== 'event') continue;
    causes.add(text);
    const before = newer.get(channel);
    const isSinceReset = (posts.get(text)?.start ?? -Infinity) > resetAt;
    if (before !== undefined && isSinceReset && ts > before) {
      violations.push({ kind: 'timeline out of order', what: text, calls: only(posts, text, read) });
    }
    newer.set(channel, ts);
  }
  return violations;
}

/** Whether the replica of a post stood still, or long without the database, so that a read could not learn of the call. */
const isUntold = (
  post: Post,
  read: Read,
  { stalls, outages }: Required<Pick<History, 'stalls' | 'outages'>>,
): boolean =>
  stalls.some(({ from, to }) => from <= read.end && to >= post.start) ||
  outages
    .filter(({ from, to }) => to - from >= LONG_OUTAGE_MS)
    .some(({ from, to }) => from <= read.end && to + CONNECTED_MS >= read.start && from <= post.end + UNSTORED_MS);

/** A channel's events are there without a hole since the oldest one that is shown, and so are their calls. */
function missing(
  read: Read,
  entries: readonly SeenEntry[],
  acknowledged: ReadonlyMap<string, readonly Post[]>,
  resetAt: number,
  isLost: (from: number, to: number) => boolean,
  pauses: Required<Pick<History, 'stalls' | 'outages'>>,
): Violation[] {
  const violations: Violation[] = [];
  const calls = new Set(entries.flatMap(({ kind, text }) => (kind === 'call' ? [text] : [])));
  for (const [channel, events] of groupBy(
    entries.filter(({ kind }) => kind === 'event'),
    (entry) => entry.channel,
  )) {
    const oldest = events.reduce((least, { ts }) => (ts < least ? ts : least), '9');
    const there = new Set(events.map(({ text }) => text));
    for (const post of acknowledged.get(channel) ?? []) {
      if (!post.answer || post.end >= read.start || post.start <= resetAt || post.answer.ts <= oldest) continue;
      const violation = (what: string): Violation => ({
        kind: 'missing on the timeline',
        what: `${post.text}: its ${what}`,
        calls: [post, read],
      });
      if (!there.has(post.text)) violations.push(violation('event'));
      else if (calls.has(post.text) || read.end - read.start >= GIVEN_UP_MS || isLost(post.start, post.end)) continue;
      else if (!isUntold(post, read, pauses)) violations.push(violation('call'));
    }
  }
  return violations;
}

/** What an app accepted is on the timeline of its tenant, as far as that goes back. */
function undelivered(
  read: Read,
  entries: readonly SeenEntry[],
  deliveries: readonly Delivery[],
  isLost: (from: number, to: number) => boolean,
): Violation[] {
  const oldest = entries.findLast(({ kind }) => kind === 'event')?.ts ?? '9';
  const arrived = new Set(entries.flatMap(({ kind, text, isOk }) => (kind === 'delivery' && isOk ? [text] : [])));
  return deliveries.flatMap(({ text, ts, at, acceptedAt }) => {
    if (acceptedAt === undefined || ts <= oldest || arrived.has(text) || isLost(at, acceptedAt)) return [];
    return [{ kind: 'missing on the timeline', what: `${text}: its delivery`, calls: [read] }];
  });
}

function waited(
  wait: CallOf<'wait'>,
  posts: ReadonlyMap<string, Post>,
  resets: readonly CallOf<'reset'>[],
): Violation[] {
  const { answer, text, start, end, since, timeoutMs } = wait;
  if (wait.outcome !== 'ok' || !answer) return [];
  const post = posts.get(text);
  const violation = (kind: string): Violation[] => [{ kind, what: text, calls: post ? [post, wait] : [wait] }];
  if (answer.isMatched) {
    if (answer.text !== text) return violation('another answer of a wait');
    if (!post) return violation('invented text');
    if (post.outcome === 'refused') return violation('refused write');
    return post.start > end ? violation('answered before it happened') : [];
  }
  if (post?.outcome !== 'ok' || post.start <= since || lastReset(resets, end) >= since) return [];
  return post.end < Math.min(end, start + timeoutMs) ? violation('missed by a wait') : [];
}
