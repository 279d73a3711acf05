import { answerOf, apiOf, type Api } from './http.js';
import type { Acted, Message, Suggested } from './types.js';

/**
 * What to wait for: `ack`, the app's direct answer; `reply`, a message of the app, or what ends an agent's turn in the
 * tracker; `activity`, the first that an agent says there; `none`, nothing.
 */
export interface ActOptions {
  until?: 'ack' | 'activity' | 'reply' | 'none';
  /** Milliseconds, up to 10,000; 1,000 without it. `timed_out` of the result says whether that was too short. */
  waitMs?: number;
}

/** A person of a sandbox; each method acts in that person's name. */
export class Person {
  /** @internal `sandbox.as(name)` makes them. */
  constructor(
    private readonly url: string,
    private readonly token: () => Promise<string>,
    private readonly withIds: (text: string) => string,
    private readonly appId: (name: string) => string,
    readonly name: string,
  ) {}

  /**
   * Posts a message. `<@name>` in the text becomes a mention. With `waitMs` it waits for the app's reply, which is in
   * `replies` then; without it returns at once.
   */
  post(channel: string, text: string, options: PostOptions = {}): Promise<Message & Acted> {
    const { threadTs, blocks, waitMs, until = waitMs === undefined ? 'none' : 'reply' } = options;
    return this.act<Message & Acted>('message', {
      channel,
      text: this.withIds(text),
      ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
      ...(blocks === undefined ? {} : { blocks }),
      ...waiting({ until, ...(waitMs === undefined ? {} : { waitMs }) }),
    });
  }

  reply(message: MessageRef, text: string, options: PostOptions = {}): Promise<Message & Acted> {
    return this.post(message.channel, text, { ...options, threadTs: message.ts });
  }

  edit(message: MessageRef, text: string): Promise<Acted> {
    return this.act('edit', { ...refOf(message), text: this.withIds(text) });
  }

  remove(message: MessageRef): Promise<Acted> {
    return this.act('delete', refOf(message));
  }

  react(message: MessageRef, name: string): Promise<Acted> {
    return this.act('react', { ...refOf(message), name });
  }

  unreact(message: MessageRef, name: string): Promise<Acted> {
    return this.act('unreact', { ...refOf(message), name });
  }

  join(channel: string): Promise<Acted> {
    return this.act('join', { channel });
  }

  leave(channel: string): Promise<Acted> {
    return this.act('leave', { channel });
  }

  invite(channel: string, users: string[]): Promise<Acted> {
    return this.act('invite', { channel, users });
  }

  /** Sends the app a direct message: `openDm('deploy-bot', 'hi')`. */
  openDm(app: string, text: string, options: PostOptions = {}): Promise<Message & Acted> {
    return this.post(app.startsWith('@') ? app : `@${app}`, text, options);
  }

  /** Runs a slash command: `command('#general', '/deploy', 'prod')`. */
  command(channel: string, command: string, text = '', options: ActOptions = {}): Promise<Acted> {
    return this.act('command', { channel, command, text, ...waiting(options) });
  }

  /**
   * Clicks a button or chooses from a menu: of a message, of the modal on top (the view or its id), or of an app's Home
   * (`{ home: 'deploy-bot' }`). `value` is the option's value.
   */
  click(target: Target, actionId: string, options: ClickOptions = {}): Promise<Acted> {
    const { value, blockId, ...rest } = options;
    return this.act('click', {
      ...placeOf(target, this.appId),
      action_id: actionId,
      ...(value === undefined ? {} : { value }),
      ...(blockId === undefined ? {} : { block_id: blockId }),
      ...waiting(rest),
    });
  }

  /** Types into an external select; `options` of the result are those that the app suggests. */
  suggest(target: Target, actionId: string, typed: string, options: { blockId?: string } = {}): Promise<Suggested> {
    const { blockId } = options;
    return this.act('suggest', {
      ...placeOf(target, this.appId),
      action_id: actionId,
      value: typed,
      ...(blockId === undefined ? {} : { block_id: blockId }),
    });
  }

  /** Fills in a modal and submits it. `values` by action id, or by block id and action id. */
  submit(view: ViewRef, values: Record<string, unknown> = {}, options: ActOptions = {}): Promise<Acted> {
    return this.act('submit', { view_id: viewId(view), values, ...waiting(options) });
  }

  type(view: ViewRef, values: Record<string, unknown>): Promise<Acted> {
    return this.act('type', { view_id: viewId(view), values });
  }

  close(view: ViewRef, options: { clear?: boolean } = {}): Promise<Acted> {
    return this.act('close', { view_id: viewId(view), ...options });
  }

  shortcut(callbackId: string, message?: MessageRef, options: ActOptions = {}): Promise<Acted> {
    const on = message ? { channel: message.channel, message_ts: message.ts } : {};
    return this.act('shortcut', { callback_id: callbackId, ...on, ...waiting(options) });
  }

  /** Opens the Home of an app, by name or id; without it that of the default app. */
  home(app?: string, options: ActOptions = {}): Promise<Acted> {
    return this.act('home', { ...(app === undefined ? {} : { app_id: this.appId(app) }), ...waiting(options) });
  }

  /** Presses one of the two buttons of a message that ask how an answer was. */
  feedback(message: MessageRef, value: 'positive' | 'negative', options: ActOptions = {}): Promise<Acted> {
    const { channel, ts } = message;
    return this.act('feedback', { channel, message_ts: ts, value, ...waiting(options) });
  }

  /** Takes up a prompt that an agent suggests, by its title or its number from 1: posts its message. */
  prompt(app: string, title: string | number, options: ActOptions = {}): Promise<Message & Acted> {
    return this.act<Message & Acted>('prompt', { app_id: this.appId(app), title, ...waiting(options) });
  }

  /** Stops what an agent does in a thread, named by its first message. */
  stop(thread: MessageRef, options: ActOptions = {}): Promise<Acted> {
    return this.act('stop', { channel: thread.channel, thread_ts: thread.ts, ...waiting(options) });
  }

  /**
   * Makes an issue of the tracker, everything by its name. With a `delegate` it waits for what ends the agent's turn;
   * `session_id` of the result is the session that began.
   */
  createIssue(team: string, title: string, fields: IssueFields = {}, options: ActOptions = {}): Promise<Acted> {
    return this.act('issue_create', { team, title, ...fields, ...waiting(options) });
  }

  /** Changes an issue, named by its identifier, its id or the ref of a seed document; null takes a value away. */
  updateIssue(issue: string, fields: IssueFields, options: ActOptions = {}): Promise<Acted> {
    return this.act('issue_update', { issue, ...fields, ...waiting(options) });
  }

  /** Comments on an issue or something else; `mention` names an agent that is asked by it. */
  comment(on: string | CommentPlace, body: string, options: CommentOptions = {}): Promise<Acted> {
    const { parent, mention, ...rest } = options;
    return this.act('comment', {
      ...(typeof on === 'string' ? { issue: on } : on),
      body,
      ...(parent === undefined ? {} : { parent }),
      ...(mention === undefined ? {} : { mention }),
      ...waiting(rest),
    });
  }

  editComment(comment: string, body: string): Promise<Acted> {
    return this.act('comment_edit', { comment, body });
  }

  removeComment(comment: string): Promise<Acted> {
    return this.act('comment_delete', { comment });
  }

  resolveComment(comment: string): Promise<Acted> {
    return this.act('resolve', { comment });
  }

  unresolveComment(comment: string): Promise<Acted> {
    return this.act('unresolve', { comment });
  }

  /** Reacts to an issue or a comment of the tracker. */
  reactTo(what: { issue: string } | { comment: string }, emoji: string): Promise<Acted> {
    return this.act('issue_react', { ...what, emoji });
  }

  /** Says something to an agent in its session, and waits for what ends its turn. */
  promptSession(session: string, body: string, options: ActOptions = {}): Promise<Acted> {
    return this.act('session_prompt', { session, body, ...waiting(options) });
  }

  stopSession(session: string, options: ActOptions = {}): Promise<Acted> {
    return this.act('session_stop', { session, ...waiting(options) });
  }

  /** Chooses one of the values that an agent offers. */
  selectInSession(session: string, value: string, options: ActOptions = {}): Promise<Acted> {
    return this.act('session_select', { session, value, ...waiting(options) });
  }

  /** What this person sees of an issue of the tracker now: its sessions of agents, relations, comments. */
  async trackerScreen(issue?: string): Promise<Record<string, unknown>> {
    const query = issue === undefined ? {} : { issue };
    return answerOf((await this.signedIn()).GET('/api/act/tracker', { params: { query } })) as Promise<
      Record<string, unknown>
    >;
  }

  /** What this person sees of apps now: modals, Homes, ephemeral messages. */
  async screen(): Promise<Record<string, unknown>> {
    return answerOf((await this.signedIn()).GET('/api/act/screen')) as Promise<Record<string, unknown>>;
  }

  /** This person's access token, for calling API methods directly. */
  accessToken(): Promise<string> {
    return this.token();
  }

  private async act<T extends Acted>(verb: string, body: Record<string, unknown>): Promise<T & Acted> {
    const api = await this.signedIn();
    const acted = (await answerOf(api.POST('/api/act/{verb}', { params: { path: { verb } }, body }))) as Acted;
    // the result's fields are spread so that it can be passed on as a message or a view
    return { ...acted.result, ...acted } as T & Acted;
  }

  private async signedIn(): Promise<Api> {
    return apiOf(this.url, { authorization: `Bearer ${await this.token()}` });
  }
}

export interface MessageRef {
  channel: string;
  ts: string;
}

export type ViewRef = string | { id: string };

/** Where a button or a menu is: in a message, in a modal, or on the Home of an app (name or id). */
export type Target = MessageRef | ViewRef | { home: string };

export interface PostOptions extends ActOptions {
  threadTs?: string;
  blocks?: object[];
}

export interface ClickOptions extends ActOptions {
  value?: string;
  blockId?: string;
}

/** Fields of an issue, by names or ids. */
export interface IssueFields {
  title?: string;
  description?: string | null;
  state?: string;
  assignee?: string | null;
  /** An application whose agent is to work on it. */
  delegate?: string | null;
  priority?: number;
  labels?: string[];
  project?: string | null;
  cycle?: number | string | null;
  parent?: string | null;
  estimate?: number | null;
  /** `2026-02-01` */
  due_date?: string | null;
  team?: string;
}

/** What a comment is on: an id or a name. */
export type CommentPlace = { issue: string } | { project: string } | { document: string } | { update: string };

export interface CommentOptions extends ActOptions {
  /** The comment that is answered. */
  parent?: string;
  /** An application: `@app ` is put before the body. */
  mention?: string;
}

const viewId = (view: ViewRef): string => (typeof view === 'string' ? view : view.id);
const refOf = ({ channel, ts }: MessageRef): { channel: string; ts: string } => ({ channel, ts });
const waiting = ({ until, waitMs }: ActOptions): object => ({
  ...(until === undefined ? {} : { until }),
  ...(waitMs === undefined ? {} : { wait_ms: waitMs }),
});

function placeOf(target: Target, appId: (name: string) => string): object {
  if (typeof target === 'string') return { view_id: target };
  if ('home' in target) return { home: true, app_id: appId(target.home) };
  if ('ts' in target) return { channel: target.channel, message_ts: target.ts };
  return { view_id: target.id };
}
