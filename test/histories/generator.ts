import type { Call, Operation } from './history.js';
import type { Random } from './random.js';

/** A client: a person of the tenant with a token of their own, who makes one call at a time. */
export interface Client {
  readonly name: string;
  readonly user: string;
  readonly token: string;
}

/** The tenant in which clients work. */
export interface Place {
  readonly tenant: string;
  /** Everybody is a member of these. They are written to two by two, the next ones once these are long. */
  readonly channels: readonly string[];
  /** Nobody but the first client is a member of it at first. */
  readonly privateChannel: string;
  /** Issues are made in it; undefined: none are. */
  readonly team?: string;
  /** Whose messages grow while they are read, in one thread after the other; undefined: there is no agent. */
  readonly agent?: { readonly channel: string; readonly threads: readonly string[]; readonly token: string };
  /** The method of which calls are counted, and its allowance; undefined: none is. */
  readonly counted?: { readonly method: string; readonly limit: number; readonly windowMs: number };
  /** How long people wait for a message, in milliseconds. */
  readonly waitMs: number;
  /** Tokens that may be revoked, by the name of who has them. */
  readonly spare: readonly Client[];
}

/** What may be asked for: the calls, and three that are made like another one. */
type Wish = Operation['op'] | 'copy' | 'back' | 'reply';
export type Weights = Readonly<Partial<Record<Wish, number>>>;

export const USUAL: Weights = {
  post: 30,
  edit: 8,
  delete: 3,
  react: 10,
  history: 10,
  replies: 8,
  search: 1,
  member: 2,
  peek: 3,
  auth: 2,
  revoke: 0.2,
  issueCreate: 5,
  issueUpdate: 4,
  issues: 3,
  streamStart: 1.5,
  streamAppend: 8,
  streamStop: 1,
  streams: 3,
  upload: 1,
  files: 1,
  timeline: 1,
  wait: 1,
  snapshot: 0.2,
  reset: 0.08,
  back: 0.15,
  copy: 0.15,
};

/** Of a tenant whose allowances are small: nothing but calls that are counted. */
export const COUNTED: Weights = { limited: 1 };

/** For many calls: as people do, they read more than they write, and seldom all that is there. */
const MANY: Weights = {
  ...USUAL,
  post: 7,
  edit: 4,
  delete: 1.5,
  react: 8,
  history: 22,
  replies: 22,
  search: 0.3,
  member: 1.5,
  peek: 14,
  auth: 14,
  issueCreate: 1.5,
  issueUpdate: 2.5,
  issues: 6,
  streamStart: 0.4,
  streamAppend: 3,
  streamStop: 0.3,
  streams: 4,
  upload: 0.3,
  files: 0.3,
  timeline: 0.3,
  wait: 0.6,
};

/** How often what is asked for in a run of so many milliseconds: what changes everything is not asked for more often in a long one. */
export function weightsFor(ms: number): Weights {
  const usual = isLong(ms) ? MANY : USUAL;
  const often = Math.min(1, SHORT_MS / ms);
  const rare = ['snapshot', 'reset', 'back', 'copy', 'revoke'] as const;
  return { ...usual, ...Object.fromEntries(rare.map((wish) => [wish, (usual[wish] ?? 0) * often])) };
}

/** Long runs are for many calls, short ones for histories that are easily read. */
export const isLong = (ms: number): boolean => ms > 60_000;
const SHORT_MS = 40_000;

/** Messages and issues that are written to again, so that writes meet. */
const RECENT = 8;
const HOT = 2;
/** Of how many messages a client knows. */
const KNOWN = 400;
/** After how many posts people go on to the next two channels, so that a whole one can be read all the time. */
const LONG = 300;
/** After how many streams an agent goes on to the next thread. */
const MANY_STREAMS = 30;
/** How many of the newest are read mostly: messages, and issues. */
const NEWEST = 15;
/** The most snapshots of a tenant that are gone back to. */
const MAX_SNAPSHOTS = 8;
const EMOJI = ['eyes', 'tada'];

/** What clients know of their tenant, from the answers they got; and what they ask for next. */
export class Generator {
  private readonly messages: { channel: string; ts: string; thread?: string; hasReplies: boolean; author: string }[] =
    [];
  private readonly issues: { id: string; number: number }[] = [];
  private posts = 0;
  private streams = 0;
  private readonly snapshots: string[] = [];
  /** The stream that a client writes, by its name: one at a time. */
  private readonly open = new Map<string, string>();
  private count = 0;
  /** A place on the timeline, when it was told, and texts that were posted later. */
  private mark: { cursor: string; since: number; texts: string[] } | undefined;

  constructor(
    private readonly random: Random,
    private readonly place: Place,
    private readonly weights: Weights = USUAL,
    /** How often, from 0 to 1, only the very newest messages and issues are written to again. */
    private readonly heat = 0,
    /** How often, from 0 to 1, a channel is read as a whole; issues are a third as often. */
    private readonly whole = 0.3,
  ) {}

  /** What a client asks for next. */
  next(client: Client, owner: Client): Operation {
    for (;;) {
      const operation = this.make(this.random.weighted(this.weights), client, owner);
      if (operation) return operation;
    }
  }

  /** Takes note of a call that has ended. */
  learn(call: Call): void {
    if (call.op === 'reset' && call.outcome !== 'refused') {
      this.messages.length = 0;
      this.issues.length = 0;
      this.open.clear();
    }
    // what was refused has ended, or is gone since a reset
    if (call.op === 'streamStop' || (call.op === 'streamAppend' && call.outcome === 'refused')) {
      this.open.delete(call.client);
    }
    if (call.outcome !== 'ok') return;
    if (call.op === 'post' && call.answer) {
      this.posts++;
      const { channel, thread, answer } = call;
      const parent = this.messages.find(({ ts }) => ts === thread);
      if (parent) parent.hasReplies = true;
      this.messages.push({
        channel,
        ts: answer.ts,
        ...(thread !== undefined && { thread }),
        hasReplies: false,
        author: call.token,
      });
      if (this.messages.length > 2 * KNOWN) this.messages.splice(0, KNOWN);
    }
    if (call.op === 'streamStart') this.streams++;
    if (call.op === 'streamStart' && call.answer) this.open.set(call.client, call.answer.ts);
    if (call.op === 'timeline' && call.answer?.cursor !== undefined) {
      this.mark = { cursor: call.answer.cursor, since: call.end, texts: [] };
    }
    if (call.op === 'post' && this.mark && call.start > this.mark.since) this.mark.texts.push(call.text);
    if (call.op === 'snapshot') this.snapshots.push(call.name);
    if (call.op === 'issueCreate' && call.answer) this.issues.push(call.answer.issue);
  }

  private text(): string {
    return `${this.place.tenant} w${this.count++}`;
  }

  /** A text without spaces, so that the words of a stream tell its appends. */
  private word(): string {
    return this.text().replace(' ', '-');
  }

  private channelsNow(): readonly string[] {
    const { channels } = this.place;
    const pair = Math.floor(this.posts / LONG) % Math.ceil(channels.length / 2);
    return channels.slice(pair * 2, pair * 2 + 2);
  }

  private thread(): string {
    const { threads = [] } = this.place.agent ?? {};
    return threads[Math.floor(this.streams / MANY_STREAMS) % threads.length] as string;
  }

  private make(op: Wish, client: Client, owner: Client): Operation | undefined {
    const { random, place } = this;
    const { token, user } = client;
    const channel = random.of(this.channelsNow()) as string;
    const recent = this.heat > 0 && random.next() < this.heat ? HOT : RECENT;
    const message = random.of(this.messages.slice(-recent));
    const issue = random.of(this.issues.slice(-recent));
    const spare = random.of(place.spare);
    switch (op) {
      case 'reply':
      case 'post': {
        const parent = op === 'reply' || random.next() < 0.4 ? message : undefined;
        if (!parent) return { op: 'post', channel, text: this.text(), token };
        // so that nobody deletes it meanwhile
        parent.hasReplies = true;
        return { op: 'post', channel: parent.channel, text: this.text(), thread: parent.thread ?? parent.ts, token };
      }
      case 'edit': {
        const own = random.of(this.messages.filter(({ author }) => author === token).slice(-RECENT));
        return own && { op, channel: own.channel, ts: own.ts, text: this.text(), token };
      }
      case 'delete': {
        // a parent of replies leaves a tombstone behind
        const at = this.messages.findLastIndex(({ author, hasReplies }) => author === token && !hasReplies);
        const [own] = at < 0 ? [] : this.messages.splice(at, 1);
        return own && { op, channel: own.channel, ts: own.ts, token };
      }
      case 'react': {
        const name = random.of(EMOJI) as string;
        return (
          message && { op, channel: message.channel, ts: message.ts, name, user, isSet: random.next() < 0.6, token }
        );
      }
      case 'history': {
        const which = random.next();
        if (which < 1 - this.whole) return { op, channel, token, newest: NEWEST };
        // what is past is still there
        return { op, channel: which < 1 - this.whole / 6 ? channel : (random.of(place.channels) as string), token };
      }
      case 'replies':
        return message && { op, channel: message.channel, ts: message.thread ?? message.ts, token };
      case 'search':
        return { op, token };
      case 'member':
        if (client === owner || spare === undefined) return undefined;
        return { op, channel: place.privateChannel, user, isSet: random.next() < 0.5, token: owner.token };
      case 'peek':
        return client === owner ? undefined : { op, channel: place.privateChannel, user, token };
      case 'revoke':
        return spare && { op, token: spare.token };
      case 'auth':
        return { op, token: spare?.token ?? token };
      case 'issueCreate':
        return place.team === undefined ? undefined : { op, title: this.text(), team: place.team };
      case 'issueUpdate':
        return issue === undefined ? undefined : { op, issue: issue.id, title: this.text() };
      case 'issues': {
        if (place.team === undefined) return undefined;
        const { number: from } = this.issues.at(-NEWEST) ?? { number: 0 };
        return random.next() < 1 - this.whole / 3 ? { op, from } : { op };
      }
      case 'snapshot':
        return this.snapshots.length < MAX_SNAPSHOTS ? { op, name: this.word() } : undefined;
      case 'reset':
        return { op };
      case 'back': {
        const to = random.of(this.snapshots);
        return to === undefined ? undefined : { op: 'reset', to };
      }
      case 'copy':
        return { op: 'history', channel, token, isCopy: true };
      case 'upload':
        return place.agent && { op, channel: place.agent.channel, title: this.word(), token };
      case 'files':
        return { op, token };
      case 'streamStart':
        if (!place.agent || this.open.has(client.name)) return undefined;
        return { op, channel: place.agent.channel, thread: this.thread(), text: this.word(), token: place.agent.token };
      case 'streamAppend':
      case 'streamStop': {
        const ts = this.open.get(client.name);
        if (!place.agent || ts === undefined) return undefined;
        const { channel, token: agent } = place.agent;
        return { op, channel, ts, text: this.word(), token: agent };
      }
      case 'streams':
        return place.agent && { op, channel: place.agent.channel, thread: this.thread(), token };
      case 'timeline':
        return { op };
      case 'wait': {
        if (!this.mark) return undefined;
        const { cursor: after, since, texts } = this.mark;
        // for what is there, or for what somebody may post soon
        const soon = `${place.tenant} w${this.count + random.below(4)}`;
        const text = random.next() < 0.5 ? (random.of(texts) ?? soon) : soon;
        return { op, text, after, since, timeoutMs: place.waitMs };
      }
      case 'limited':
        return place.counted && { op, ...place.counted, token };
    }
  }
}
