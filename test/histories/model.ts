import { type Client, Generator, type Place, USUAL, type Weights } from './generator.js';
import {
  type Call,
  type Delivery,
  type History,
  type Operation,
  type SeenEntry,
  type SeenIssue,
  type SeenMessage,
  type SocketLog,
  withoutReactions,
} from './history.js';
import { Random } from './random.js';

/** How many entries of the timeline are read. */
const NEWEST_ENTRIES = 60;

interface Message {
  readonly channel: string;
  readonly ts: string;
  readonly thread?: string;
  text: string;
  readonly reactions: Map<string, Set<string>>;
}

interface State {
  messages: Message[];
  issues: (SeenIssue & { title: string })[];
  members: Set<string>;
  streams: { ts: string; thread: string; words: string[]; isOpen: boolean }[];
  files: string[];
  /** Tokens that were revoked. */
  revoked: Set<string>;
}

const nothing = (): State => ({
  messages: [],
  issues: [],
  members: new Set(),
  streams: [],
  files: [],
  revoked: new Set(),
});

/**
 * A server without faults, in memory: each call takes effect at one moment between its beginning and its end. Its
 * histories break no promise, whatever the seed.
 */
export function goodHistory(seed: number, { tenants = 2, calls = 300 } = {}): History {
  const parts = Array.from({ length: tenants }, (_, n) => tenant(new Random(seed * 31 + n), `t${n + 1}`, calls));
  return {
    calls: parts.flatMap((part) => part.calls),
    sockets: parts.flatMap((part) => part.sockets),
    deliveries: parts.flatMap((part) => part.deliveries),
    quietAt: Infinity,
  };
}

const SELDOM: Weights = { ...USUAL, reset: 0.6, back: 0, snapshot: 0, copy: 0, revoke: 0.6 };
/** Every other tenant goes back to snapshots too, and is copied. */
const BACK: Weights = { ...USUAL, reset: 0.2, back: 1, snapshot: 1, copy: 2, revoke: 0.6 };

function tenant(random: Random, name: string, calls: number): History {
  const clients: Client[] = [1, 2, 3, 4].map((n) => ({ name: `${name}c${n}`, user: `U${n}`, token: `${name}k${n}` }));
  const place: Place = {
    tenant: name,
    channels: ['a', 'b'],
    privateChannel: 'secret',
    team: 'ENG',
    waitMs: 0,
    agent: { channel: 's', threads: ['1.0', '2.0'], token: `${name}agent` },
    spare: [5, 6, 7].map((n) => ({ name: `${name}s${n}`, user: `U${n}`, token: `${name}k${n}` })),
  };
  const server = new Model(random, name);
  const generator = new Generator(random, place, name.endsWith('2') ? BACK : SELDOM);
  // the moments at which calls begin, take effect and end, in their order
  const due: { at: number; run: () => void }[] = [];
  const later = (at: number, run: () => void): void => {
    const position = due.findIndex((other) => other.at > at);
    due.splice(position < 0 ? due.length : position, 0, { at, run });
  };
  let id = 0;
  const begin = (client: Client, start: number): void => {
    if (id >= calls) return;
    const operation = generator.next(client, clients[0] as Client);
    const number = id++;
    const point = start + 1 + random.next() * 10;
    const end = point + 1 + random.next() * 10;
    let made: Call;
    later(point, () => {
      const answered = server.take(operation, point);
      const isLost = random.next() < 0.02;
      const base = { id: number, client: client.name, tenant: name, start, end };
      made = isLost
        ? ({ ...base, ...operation, outcome: 'unknown' } as Call)
        : ({ ...base, ...operation, ...answered } as Call);
    });
    later(end, () => {
      server.calls.push(made);
      generator.learn(made);
      begin(client, end + random.next() * 3);
    });
  };
  for (const client of clients) later(random.next() * 5, () => begin(client, random.next() * 5 + 5));
  for (let next = due.shift(); next; next = due.shift()) next.run();
  return server.history();
}

class Model {
  readonly calls: Call[] = [];
  private state = nothing();
  private readonly snapshots = new Map<string, State>();
  private readonly heard: SocketLog['heard'][number][] = [];
  private readonly deliveries: Delivery[] = [];
  /** Oldest first; a reset leaves it alone. */
  private readonly timeline: SeenEntry[] = [];
  private clock = 1_000;
  private syncId = 0;
  private event = 0;
  /** When the app was told last. */
  private told = 0;

  constructor(
    private readonly random: Random,
    private readonly tenant: string,
  ) {}

  history(): History {
    const { calls, deliveries, tenant } = this;
    const socket: SocketLog = { id: `${tenant}s`, tenant, openedAt: 0, closedAt: Infinity, heard: this.heard };
    return { calls, sockets: [socket], deliveries };
  }

  /** Takes effect; answers the outcome. */
  take(operation: Operation, at: number): object {
    const answer = this.answer(operation, at);
    if (typeof answer === 'string') return { outcome: 'refused', error: answer };
    return answer ? { outcome: 'ok', answer } : { outcome: 'ok' };
  }

  private answer(call: Operation, at: number): object | string | undefined {
    if ('token' in call && this.state.revoked.has(call.token)) return 'token_revoked';
    const { state } = this;
    const message = 'ts' in call ? state.messages.find((one) => one.ts === call.ts) : undefined;
    switch (call.op) {
      case 'post':
        if (call.thread !== undefined && !state.messages.some(({ ts }) => ts === call.thread))
          return 'thread_not_found';
        return this.postAndNote(call.channel, call.text, call.thread, at);
      case 'edit':
        if (!message) return 'message_not_found';
        message.text = call.text;
        return undefined;
      case 'delete':
        if (!message) return 'message_not_found';
        state.messages = state.messages.filter((one) => one !== message);
        return undefined;
      case 'react': {
        if (!message) return 'message_not_found';
        const users = message.reactions.get(call.name) ?? new Set();
        message.reactions.set(call.name, users);
        if (users.has(call.user) === call.isSet) return call.isSet ? 'already_reacted' : 'no_reaction';
        if (call.isSet) users.add(call.user);
        else users.delete(call.user);
        return undefined;
      }
      case 'history': {
        if (call.newest !== undefined) return this.newest(call.channel, call.newest);
        const pages = this.pages(call.channel);
        return { pages: call.isCopy ? pages.map((page) => page.map(withoutReactions)) : pages };
      }
      case 'replies':
        if (!message) return 'thread_not_found';
        return { messages: [message, ...this.repliesOf(message.ts)].map((one) => this.shown(one)) };
      case 'search':
        return { texts: state.messages.slice(-5).map(({ text }) => text) };
      case 'member':
        if (call.isSet) state.members.add(call.user);
        else state.members.delete(call.user);
        return undefined;
      case 'peek':
        return state.members.has(call.user) ? undefined : 'channel_not_found';
      case 'revoke':
        state.revoked.add(call.token);
        return undefined;
      case 'auth':
        return undefined;
      case 'issueCreate': {
        const number = state.issues.length + 1;
        const issue = { id: `${this.tenant}i${this.syncId}`, number, title: call.title };
        state.issues.push(issue);
        return { issue: { ...issue }, syncId: ++this.syncId };
      }
      case 'issueUpdate': {
        const issue = state.issues.find(({ id }) => id === call.issue);
        if (!issue) return 'INPUT_ERROR';
        issue.title = call.title;
        return { syncId: ++this.syncId };
      }
      case 'issues':
        return {
          pages: [state.issues.filter(({ number }) => number >= (call.from ?? 0)).map((issue) => ({ ...issue }))],
        };
      case 'reset':
        this.state = call.to === undefined ? nothing() : structuredClone(this.snapshots.get(call.to) as State);
        return undefined;
      case 'snapshot':
        this.snapshots.set(call.name, structuredClone(state));
        return undefined;
      case 'upload':
        state.files.push(call.title);
        return undefined;
      case 'files':
        return { files: state.files.toReversed().map((title, i) => ({ title, ...(i === 0 && { isWhole: true }) })) };
      case 'streamStart': {
        const ts = `${this.clock++}.000001`;
        state.streams.push({ ts, thread: call.thread, words: [call.text], isOpen: true });
        return { ts };
      }
      case 'streamAppend':
      case 'streamStop': {
        const stream = state.streams.find(({ ts }) => ts === call.ts);
        if (!stream?.isOpen) return 'message_not_in_streaming_state';
        stream.words.push(call.text);
        stream.isOpen = call.op === 'streamAppend';
        return undefined;
      }
      case 'streams':
        return {
          streams: state.streams
            .filter(({ thread }) => thread === call.thread)
            .map(({ ts, words }) => ({ ts, words: [...words] })),
        };
      case 'timeline': {
        const newest = this.timeline.slice(-NEWEST_ENTRIES).toReversed();
        return { entries: newest, cursor: String(this.timeline.length) };
      }
      case 'wait': {
        const isMatched = this.timeline.slice(Number(call.after)).some(({ text }) => text === call.text);
        return { isMatched, ...(isMatched && { text: call.text }) };
      }
      case 'limited':
        return undefined;
    }
  }

  private postAndNote(channel: string, text: string, thread: string | undefined, at: number): object {
    const ts = this.post(channel, text, thread, at);
    this.timeline.push({ kind: 'event', channel, ts, text });
    this.timeline.push({ kind: 'call', channel, ts, text, isOk: true });
    this.timeline.push({ kind: 'delivery', channel, ts, text, isOk: true });
    return { ts };
  }

  private post(channel: string, text: string, thread: string | undefined, at: number): string {
    const ts = `${this.clock++}.000001`;
    this.state.messages.push({ channel, ts, ...(thread !== undefined && { thread }), text, reactions: new Map() });
    this.heard.push({ channel, ts, text, at: at + 1 });
    const event = { tenant: this.tenant, target: `${this.tenant}app`, eventId: `Ev${this.event++}`, channel, ts, text };
    if (this.random.next() < 0.1) this.deliveries.push({ ...event, at: (this.told = Math.max(at, this.told + 1)) });
    this.told = Math.max(at, this.told + 1);
    this.deliveries.push({ ...event, at: this.told, acceptedAt: this.told + 0.5 });
    return ts;
  }

  private repliesOf(ts: string): Message[] {
    return this.state.messages.filter((message) => message.thread === ts);
  }

  private newest(channel: string, count: number): object {
    const shown = this.all(channel);
    const oldest = shown[count - 1];
    return { pages: [shown.slice(0, count)], ...(shown.length > count && oldest && { oldest: oldest.ts }) };
  }

  private all(channel: string): SeenMessage[] {
    const all = this.state.messages.filter((message) => message.channel === channel && message.thread === undefined);
    return all.toReversed().map((message) => this.shown(message));
  }

  private pages(channel: string): SeenMessage[][] {
    const shown = this.all(channel);
    return this.random.next() < 0.5 ? [shown] : [shown.slice(0, 5), shown.slice(5)];
  }

  private shown({ ts, text, thread, reactions }: Message): SeenMessage {
    const replies = this.repliesOf(ts);
    return {
      ts,
      text,
      ...(thread !== undefined && { thread }),
      ...(replies.length > 0 && { replyCount: replies.length, latestReply: replies.at(-1)?.ts as string }),
      reactions: [...reactions]
        .filter(([, users]) => users.size > 0)
        .map(([name, users]) => ({ name, users: [...users], count: users.size })),
    };
  }
}
