import type { VirtualItem } from '@tanstack/react-virtual';
import { ApiError } from '../api/errors.js';
import { Store } from '../kit/store.js';
import type { Message } from '../api/wire.js';
import {
  change,
  EMPTY_WINDOW,
  indexOfTs,
  replaced,
  withChanged,
  withNewer,
  withOlder,
  without,
  withPosted,
  withReaction,
  withReply,
  type Pending,
  type WindowState,
} from './window.js';

export interface Page {
  readonly messages: readonly Message[];
  readonly hasMore: boolean;
}

/** The source of a window's messages: a channel's history or a thread's replies. */
export interface Source {
  newest(limit: number): Promise<Page>;
  before(ts: string, limit: number, inclusive?: boolean): Promise<Page>;
  after(ts: string, limit: number): Promise<Page>;
  /** Messages between two timestamps, both included; without an upper bound up to the newest, which come first. */
  between(from: string, to: string | undefined, limit: number): Promise<Page>;
}

const FIRST = 50;
const MORE = 200;
/** How long the socket's copy of the person's own message waits for the answer of the call that posted it. */
const ANSWER_MS = 2_000;
const MAX_ATTEMPTS = 6;
/**
 * After a gap this many messages are loaded again on either side of the viewport; if more are new than that, the end is
 * shown.
 */
const MARGIN = 100;
const MAX_NEW = 200;

/** A message being posted: its author and text, before the server has answered. */
export interface Draft {
  readonly message: Message;
  readonly post: () => Promise<Message>;
}

let windows = 0;

/** The loaded part of a conversation, kept up to date by events and by messages posted here. */
export class MessageWindow extends Store<WindowState> {
  /** A unique key: lists rendered for one window are not reused for another. */
  readonly serial = ++windows;
  private posting: Promise<unknown> = Promise.resolve();
  private underWay = 0;
  private held: Message[] = [];
  private drafts = new Map<string, Draft>();
  private lastLocal = 0;
  private readonly keys = new Map<string, string>();
  private generation = 0;
  /** Messages posted while a page is being loaded: the page may have been read before them. */
  private arrived: Message[] = [];
  /** Something else happened meanwhile: the loaded part is fetched again. */
  private isStale = false;
  /** The first messages of pages: they keep their author's name when older messages are loaded before them. */
  readonly seams = new Set<string>();
  /** Each row's height when it was last shown. */
  sizes: VirtualItem[] = [];
  /** The top row when the person left the list away from its end, and how much of it was scrolled out. */
  leftAt: { readonly ts: string; readonly above: number } | null = null;
  private view: { first: string; last: string } | null = null;

  constructor(
    private readonly source: Source,
    private readonly authors: ReadonlySet<string>,
    /** Ephemeral messages, which no history contains. */
    private readonly extras: () => readonly Message[] = () => [],
  ) {
    super(EMPTY_WINDOW);
  }

  /** A key that stays the same when a message posted here gets its `ts`. */
  keyOf(ts: string): string {
    return this.keys.get(ts) ?? ts;
  }

  loadNewest(): Promise<void> {
    return this.load('first', async () => {
      const page = await this.source.newest(FIRST);
      return (state) => replaced(state, page.messages, { hasOlder: page.hasMore, hasNewer: false });
    });
  }

  /** The messages around one: two calls, as the person may scroll either way. */
  loadAround(ts: string): Promise<void> {
    return this.load('first', async () => {
      const [before, after] = await Promise.all([this.source.before(ts, FIRST, true), this.source.after(ts, FIRST)]);
      const messages = [...before.messages, ...after.messages];
      return (state) => replaced(state, messages, { hasOlder: before.hasMore, hasNewer: after.hasMore });
    });
  }

  loadOlder(): Promise<void> {
    const { messages, hasOlder, loading } = this.get();
    const first = messages[0]?.ts;
    if (!hasOlder || loading !== null || first === undefined) return Promise.resolve();
    return this.load('older', async () => {
      const page = await this.source.before(first, MORE);
      return (state) =>
        state.messages[0]?.ts === first ? withOlder(state, page.messages, page.hasMore) : { ...state, loading: null };
    });
  }

  loadNewer(): Promise<void> {
    const { messages, hasNewer, loading } = this.get();
    const last = messages.at(-1)?.ts;
    if (!hasNewer || loading !== null || last === undefined) return Promise.resolve();
    return this.load('newer', async () => {
      const page = await this.source.after(last, MORE);
      return (state) =>
        state.messages.at(-1)?.ts === last
          ? withNewer(state, page.messages, page.hasMore)
          : { ...state, loading: null };
    });
  }

  /** The visible rows, which are all that is loaded again after a gap. */
  inView(first: string, last: string): void {
    this.view = { first, last };
  }

  /** After the connection was lost: loads edits, deletions and posts of that time around the visible rows. */
  async resync(): Promise<void> {
    const { isLoaded, loading, messages, hasNewer, hasOlder } = this.get();
    if (!isLoaded) {
      this.isStale = loading !== null;
      return;
    }
    const first = Math.max(0, indexOfTs(messages, this.view?.first ?? messages.at(-1)?.ts ?? '').index - MARGIN);
    const end = indexOfTs(messages, this.view?.last ?? messages.at(-1)?.ts ?? '').index + MARGIN;
    const from = messages[first]?.ts;
    if (from === undefined) return this.loadNewest();
    const to = hasNewer || end < messages.length - 1 ? messages[Math.min(end, messages.length - 1)]?.ts : undefined;
    return this.load('newer', async () => {
      const page = await this.source.between(from, to, 2 * MARGIN + MAX_NEW + FIRST);
      if (to === undefined && page.hasMore) {
        const newest = await this.source.newest(FIRST);
        return (state) => replaced(state, newest.messages, { hasOlder: newest.hasMore, hasNewer: false });
      }
      return (state) => replaced(state, page.messages, { hasOlder: hasOlder || first > 0, hasNewer: to !== undefined });
    });
  }

  /** Loads everything again: the sandbox was reset. */
  reload(): Promise<void> {
    this.set({ ...this.get(), pending: [] });
    return this.loadNewest();
  }

  private async load(
    loading: 'first' | 'older' | 'newer',
    ask: () => Promise<(state: WindowState) => WindowState>,
  ): Promise<void> {
    const generation = ++this.generation;
    this.arrived = [];
    this.set({ ...this.get(), loading, error: null });
    try {
      const apply = await ask();
      if (generation !== this.generation) return;
      const next = [...this.extras(), ...this.arrived].reduce(withPosted, apply(this.get()));
      if (next.messages[0]) this.seams.add(next.messages[0].ts);
      this.set(next);
      if (this.isStale) {
        this.isStale = false;
        void this.resync();
      }
    } catch (error) {
      if (generation === this.generation) this.set({ ...this.get(), loading: null, error });
    }
  }

  /** A message arrived by the socket. The person's own may arrive before the answer of the call that posted it. */
  posted(message: Message): void {
    const author = message.user ?? message.bot_id ?? '';
    if (this.underWay > 0 && this.authors.has(author) && !message.is_bot) {
      this.held.push(message);
      setTimeout(() => this.release(message), ANSWER_MS);
      return;
    }
    this.put(message);
  }

  private put(message: Message): void {
    if (this.get().loading !== null) this.arrived.push(message);
    this.set(withPosted(this.get(), message));
  }

  private release(message?: Message): void {
    const out = message === undefined ? this.held : this.held.filter((held) => held === message);
    if (out.length === 0) return;
    this.held = message === undefined ? [] : this.held.filter((held) => held !== message);
    for (const one of out) this.put(one);
  }

  changed(message: Message): void {
    this.update(message.ts, (before) => withChanged(before, message));
  }

  deleted(ts: string): void {
    this.arrived = this.arrived.filter((one) => one.ts !== ts);
    this.isStale ||= this.get().loading !== null;
    this.set({ ...this.get(), messages: without(this.get().messages, ts) });
  }

  reacted(ts: string, name: string, user: string, added: boolean): void {
    this.update(ts, (message) => withReaction(message, name, user, added));
  }

  replied(parentTs: string, reply: Message): void {
    this.update(parentTs, (parent) => withReply(parent, reply));
  }

  update(ts: string, changed: (message: Message) => Message): void {
    this.arrived = this.arrived.map((one) => (one.ts === ts ? changed(one) : one));
    this.isStale ||= this.get().loading !== null;
    const { messages } = this.get();
    const next = change(messages, ts, changed);
    if (next !== messages) this.set({ ...this.get(), messages: next });
  }

  /** Shows a message at once and posts it after those already being sent. */
  send(draft: Draft): void {
    const localId = `local-${++this.lastLocal}`;
    this.drafts.set(localId, draft);
    const pending: Pending = { localId, message: { ...draft.message, ts: localId }, state: 'sending' };
    this.set({ ...this.get(), pending: [...this.get().pending, pending] });
    this.queue(localId);
  }

  retry(localId: string): void {
    this.setPending(localId, { state: 'sending', error: undefined });
    this.queue(localId);
  }

  discard(localId: string): void {
    this.drafts.delete(localId);
    this.set({ ...this.get(), pending: this.get().pending.filter((one) => one.localId !== localId) });
  }

  private queue(localId: string): void {
    this.underWay++;
    this.posting = this.posting
      .then(() => this.post(localId))
      .finally(() => {
        this.underWay--;
        if (this.underWay === 0) this.release();
      });
  }

  private async post(localId: string): Promise<void> {
    const draft = this.drafts.get(localId);
    if (!draft) return;
    for (let tries = 1; ; tries++) {
      try {
        const message = await draft.post();
        this.keys.set(message.ts, localId);
        this.held = this.held.filter((held) => held.ts !== message.ts);
        const { pending } = this.get();
        const left = { ...this.get(), pending: pending.filter((one) => one.localId !== localId) };
        this.set(withPosted(left, message));
        this.drafts.delete(localId);
        return;
      } catch (error) {
        const isLimited = error instanceof ApiError && error.code === 'ratelimited';
        if (!isLimited || tries >= MAX_ATTEMPTS) return this.setPending(localId, { state: 'failed', error });
        this.setPending(localId, { state: 'waiting', error });
        await new Promise((resolve) => setTimeout(resolve, (error.retryAfterSeconds ?? 1) * 1_000));
      }
    }
  }

  private setPending(localId: string, changed: Partial<Pending>): void {
    const pending = this.get().pending.map((one) => (one.localId === localId ? { ...one, ...changed } : one));
    this.set({ ...this.get(), pending });
  }
}
