import {
  type Call,
  type CallOf,
  callsOf,
  type History,
  mayBeReset,
  mayHaveHappened,
  type Violation,
} from '../history.js';
import { groupBy } from '../../../src/kernel/group-by.js';

/** What apps and sockets are told: each event at least once, in order, once where it was accepted. */
export function checkTold({ calls, sockets, deliveries, kills = [], stalls = [], quietAt }: History): Violation[] {
  const long = stalls.filter(({ from, to }) => to - from >= LONG_MS);
  const ends = [...kills.map((at) => ({ from: at, to: at })), ...long];
  return [...delivered(calls, deliveries, ends, quietAt), ...heard(calls, sockets)];
}

/** A replica that stands still for so long may lose what it leased for 5 s, renews every 2 s, and keeps for 2 s more. */
const LONG_MS = 4_000;

function delivered(
  calls: readonly Call[],
  deliveries: History['deliveries'],
  ends: readonly { readonly from: number; readonly to: number }[],
  quietAt: number | undefined,
): Violation[] {
  const resets = callsOf(calls, 'reset');
  const posts = callsOf(calls, 'post');
  const byText = new Map(posts.map((post) => [post.text, post]));
  const violations: Violation[] = [];
  for (const { text } of deliveries) {
    const post = byText.get(text);
    if (!post) violations.push({ kind: 'invented text', what: `${text} was delivered`, calls: [] });
    else if (post.outcome === 'refused')
      violations.push({ kind: 'refused write', what: `${text} was delivered`, calls: [post] });
  }
  for (const [target, all] of groupBy(deliveries, (one) => one.target)) {
    for (const [event, attempts] of groupBy(all, ({ eventId }) => eventId)) {
      const accepted = Math.min(...attempts.map(({ acceptedAt = Infinity }) => acceptedAt));
      // an attempt that was under way when another one was accepted is no repetition
      const again = attempts.find(({ at }) => at > accepted);
      // a replica that ends, or stands still, with an answer in its hands cannot tell the next one
      if (!again || ends.some(({ from, to }) => to >= accepted && from <= again.at)) continue;
      const post = byText.get(again.text);
      const when = `accepted at ${Math.round(accepted)}, sent again at ${Math.round(again.at)}`;
      violations.push({ kind: 'delivered twice', what: `${event} to ${target}: ${when}`, calls: post ? [post] : [] });
    }
    for (const first of groupBy(firsts(all), ({ channel }) => channel).values()) {
      const at = first.findIndex(({ ts }, i) => i > 0 && ts < (first[i - 1]?.ts as string));
      if (at < 0) continue;
      const both = [first[at - 1], first[at]].flatMap((one) => byText.get(one?.text ?? '') ?? []);
      if (both.length === 2 && mayBeReset(resets, ...(spanOf(both) as [number, number]))) continue;
      violations.push({ kind: 'delivered out of order', what: `${first[at]?.text} to ${target}`, calls: both });
    }
    if (quietAt === undefined) continue;
    const told = new Set(all.map(({ text }) => text));
    const [{ tenant }] = all as [History['deliveries'][number]];
    for (const post of posts) {
      if (post.tenant !== tenant || post.outcome !== 'ok' || told.has(post.text)) continue;
      // a reset drops what was not sent
      if (mayBeReset(resets, post.start, quietAt)) continue;
      violations.push({ kind: 'not delivered', what: `${post.text} to ${target}`, calls: [post] });
    }
  }
  return violations;
}

function firsts(all: History['deliveries']): History['deliveries'] {
  const known = new Set<string>();
  return all.toSorted((a, b) => a.at - b.at).filter(({ eventId }) => !known.has(eventId) && known.add(eventId));
}

const spanOf = (calls: readonly Call[]): number[] => [
  Math.min(...calls.map(({ start }) => start)),
  Math.max(...calls.map(({ end }) => end)),
];

/** What a socket has heard, it has heard without a hole: it is complete up to its last message, or it was cut. */
function heard(calls: readonly Call[], sockets: History['sockets']): Violation[] {
  const resets = callsOf(calls, 'reset');
  const posts = groupBy(
    callsOf(calls, 'post').filter((post) => post.outcome !== 'refused'),
    ({ channel }) => channel,
  );
  const all = new Map(callsOf(calls, 'post').map((post) => [post.text, post]));
  const violations: Violation[] = [];
  for (const { id, heard: told, openedAt } of sockets) {
    for (const { text } of told) {
      const post = all.get(text);
      if (!post) violations.push({ kind: 'invented text', what: `${text} was heard by ${id}`, calls: [] });
      else if (!mayHaveHappened(post))
        violations.push({ kind: 'refused write', what: `${text} was heard`, calls: [post] });
    }
    for (const [channel, messages] of groupBy(told, (one) => one.channel)) {
      const texts = messages.map(({ text }) => text);
      const known = new Set(texts);
      const double = known.size < texts.length ? texts.find((text, i) => texts.indexOf(text) < i) : undefined;
      if (double !== undefined)
        violations.push({ kind: 'heard twice', what: `${double} by ${id}`, calls: only(all, double) });
      const last = messages.at(-1);
      if (!last || mayBeReset(resets, openedAt, last.at)) continue;
      const at = messages.findIndex(({ ts }, i) => i > 0 && ts < (messages[i - 1]?.ts as string));
      if (at >= 0)
        violations.push({
          kind: 'heard out of order',
          what: `${texts[at]} by ${id}`,
          calls: only(all, texts[at] as string),
        });
      for (const post of posts.get(channel) ?? []) {
        if (post.outcome !== 'ok' || !post.answer || post.start <= openedAt) continue;
        if (post.answer.ts >= last.ts || known.has(post.text)) continue;
        violations.push({ kind: 'a hole in what a socket heard', what: `${post.text} by ${id}`, calls: [post] });
      }
    }
  }
  return violations;
}

const only = (posts: ReadonlyMap<string, CallOf<'post'>>, text: string): Call[] => {
  const post = posts.get(text);
  return post ? [post] : [];
};
