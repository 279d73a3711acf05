import { Agent, request } from 'undici';
import type { Client, Place } from './generator.js';
import {
  type Call,
  type Operation,
  type Outcome,
  type SeenEntry,
  type SeenFile,
  type SeenIssue,
  type SeenMessage,
  type SeenStream,
  withoutReactions,
} from './history.js';
import { OPERATOR } from './world.js';

/** What the channels of a tenant are called. */
export const nameOf = (channel: number): string => `c${channel}`;

/** How much longer than its title the bytes of a file are. */
const TIMES_TITLE = 200;

/** A tenant of the run, with what its calls need. */
export interface Tenant extends Place {
  readonly id: string;
  readonly controlToken: string;
  readonly apiKey: string;
  readonly teamId: string;
  /** The app-level token of the app in Socket Mode; empty: there is none. */
  readonly appToken: string;
  readonly clients: readonly Client[];
}

interface Ended {
  readonly outcome: Outcome;
  readonly error?: string;
  readonly answer?: object;
}

/** The longest that a call may take, in milliseconds: the server answers within seven seconds, or it is cut off. */
const LIMIT_MS = 20_000;
/** Answers that do not say whether it happened (docs/ERRORS.md). */
const UNCERTAIN = new Set(['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout', 'busy']);
const NOTHING: Ended = { outcome: 'unknown' };
/** Nothing is listed before the last step of an upload. */
const NOT_UPLOADED: Ended = { outcome: 'refused', error: 'not_uploaded' };

const CREATE = `mutation($input: IssueCreateInput!) { issueCreate(input: $input) { lastSyncId issue { id number title } } }`;
const UPDATE = `mutation($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { lastSyncId } }`;
const LIST = `query($after: String, $from: Float!) { issues(first: 250, after: $after, filter: { number: { gte: $from } }) { nodes { id number title } pageInfo { hasNextPage endCursor } } }`;

/** Makes calls over HTTP, each at a replica of its own choosing, and records how they end. */
export class Caller {
  private count = 0;
  /** Its `request` takes a fifth of the time of `fetch`. */
  private readonly connections = new Agent({ headersTimeout: LIMIT_MS, bodyTimeout: LIMIT_MS });

  constructor(
    /** The base URL of some replica; undefined when none runs. */
    private readonly replica: () => string | undefined,
    private readonly now: () => number,
    /** How many messages a page of a history has. */
    private readonly pageSize: () => number,
  ) {}

  /** Closes its connections. */
  async end(): Promise<void> {
    await this.connections.destroy();
  }

  async call(tenant: Tenant, client: Client, operation: Operation): Promise<Call> {
    const id = this.count++;
    const start = this.now();
    const ended = await this.run(tenant, operation).catch(() => NOTHING);
    return { id, client: client.name, tenant: tenant.tenant, start, end: this.now(), ...operation, ...ended } as Call;
  }

  private run(tenant: Tenant, call: Operation): Promise<Ended> {
    switch (call.op) {
      case 'post': {
        const args = {
          channel: call.channel,
          text: call.text,
          ...(call.thread !== undefined && { thread_ts: call.thread }),
        };
        return this.method('chat.postMessage', call.token, args, ({ ts }) => ({ ts }));
      }
      case 'edit':
        return this.method('chat.update', call.token, { channel: call.channel, ts: call.ts, text: call.text });
      case 'delete':
        return this.method('chat.delete', call.token, { channel: call.channel, ts: call.ts });
      case 'react': {
        const args = { channel: call.channel, timestamp: call.ts, name: call.name };
        return this.method(call.isSet ? 'reactions.add' : 'reactions.remove', call.token, args);
      }
      case 'history':
        if (call.isCopy) return this.copied(tenant, call.channel);
        return call.newest === undefined
          ? this.history(call.channel, call.token)
          : this.newest(call.channel, call.newest, call.token);
      case 'replies': {
        const args = { channel: call.channel, ts: call.ts, limit: 1_000 };
        return this.method('conversations.replies', call.token, args, ({ messages }) => ({ messages: seen(messages) }));
      }
      case 'search': {
        const args = { query: tenant.tenant, sort: 'timestamp', count: 20 };
        const texts = ({ messages }: Body): object => ({
          // streams are read in their thread
          texts: messages.matches
            .filter(({ channel }: Body) => channel.name !== 'agents')
            .map(({ text }: Body) => text),
        });
        return this.method('search.messages', call.token, args, texts);
      }
      case 'member': {
        const { channel, user } = call;
        if (call.isSet) return this.method('conversations.invite', call.token, { channel, users: user });
        return this.method('conversations.kick', call.token, { channel, user });
      }
      case 'peek':
        return this.method('conversations.history', call.token, { channel: call.channel, limit: 1 });
      case 'revoke':
        return this.method('auth.revoke', call.token, {});
      case 'auth':
        return this.method('auth.test', call.token, {});
      case 'issueCreate': {
        const input = { teamId: call.team, title: call.title };
        return this.graphql(tenant, CREATE, { input }, ({ issueCreate: { issue, lastSyncId } }) => ({
          issue,
          syncId: lastSyncId,
        }));
      }
      case 'issueUpdate': {
        const variables = { id: call.issue, input: { title: call.title } };
        return this.graphql(tenant, UPDATE, variables, ({ issueUpdate }) => ({ syncId: issueUpdate.lastSyncId }));
      }
      case 'issues':
        return this.issues(tenant, call.from ?? 0);
      case 'snapshot':
        return this.control(tenant, 'snapshots', { name: call.name });
      case 'reset':
        return this.control(tenant, 'reset', call.to === undefined ? {} : { to: call.to });
      case 'upload':
        return this.upload(call.channel, call.title, call.token);
      case 'files':
        return this.files(tenant, call.token);
      case 'streamStart': {
        const { channel, thread: thread_ts, text: markdown_text, token } = call;
        const [{ user: recipient_user_id }] = tenant.clients as [Client];
        const args = { channel, thread_ts, markdown_text, recipient_user_id, recipient_team_id: tenant.teamId };
        return this.method('chat.startStream', token, args, ({ ts }) => ({ ts }));
      }
      case 'streamAppend':
      case 'streamStop': {
        const { op, channel, ts, text, token } = call;
        const method = op === 'streamAppend' ? 'chat.appendStream' : 'chat.stopStream';
        return this.method(method, token, { channel, ts, markdown_text: ` ${text}` });
      }
      case 'streams': {
        const args = { channel: call.channel, ts: call.thread, limit: 1_000 };
        const read = ({ messages }: Body): object => ({ streams: streamed(messages, call.thread) });
        return this.method('conversations.replies', call.token, args, read);
      }
      case 'timeline':
        return this.timeline(tenant, call.isWhole ?? false);
      case 'wait': {
        const { text, after, timeoutMs } = call;
        const asked = { for: 'message', where: { text }, after, timeout_ms: timeoutMs };
        return this.control(tenant, 'wait', asked, ({ matched, entries }) => ({
          isMatched: matched,
          ...(matched && { text: entries[0]?.data?.text }),
        }));
      }
      case 'limited':
        return this.method(call.method, call.token, { presence: 'away' });
    }
  }

  private async history(channel: string, token: string): Promise<Ended> {
    const pages: SeenMessage[][] = [];
    const limit = this.pageSize();
    for (let cursor = ''; ;) {
      let next = '';
      const ended = await this.method('conversations.history', token, { channel, limit, cursor }, (body) => {
        pages.push(seen(body.messages));
        next = body.response_metadata?.next_cursor ?? '';
        return {};
      });
      if (ended.outcome !== 'ok') return ended;
      if (next === '') return { outcome: 'ok', answer: { pages } };
      cursor = next;
    }
  }

  /** One page, and from where on there are older ones. */
  private newest(channel: string, limit: number, token: string): Promise<Ended> {
    return this.method('conversations.history', token, { channel, limit }, ({ messages, has_more: hasMore }) => ({
      pages: [seen(messages)],
      ...(hasMore && { oldest: messages.at(-1).ts }),
    }));
  }

  private async issues(tenant: Tenant, from: number): Promise<Ended> {
    const pages: SeenIssue[][] = [];
    for (let after: string | null = null; ;) {
      const ended: Ended = await this.graphql(tenant, LIST, { after, from }, ({ issues: { nodes, pageInfo } }) => {
        pages.push(nodes);
        after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
        return {};
      });
      if (ended.outcome !== 'ok') return ended;
      if (after === null) return { outcome: 'ok', answer: { pages } };
    }
  }

  /** What posts left, newest first. */
  private async timeline(tenant: Tenant, isWhole: boolean): Promise<Ended> {
    const entries: SeenEntry[] = [];
    let first: string | undefined;
    for (let before = ''; ;) {
      const query = `kind=call,event,delivery&order=desc&limit=${PAGE}${before === '' ? '' : `&before=${before}`}`;
      const headers = { 'x-sandbox-token': tenant.controlToken };
      const { status, body } = await this.send(
        `/api/sandboxes/${tenant.id}/timeline?${query}`,
        headers,
        undefined,
        'GET',
      );
      if (status !== 200) return judged(status, String(body.message));
      first ??= body.entries[0]?.id;
      entries.push(...body.entries.flatMap((entry: Body) => seenEntry(entry, tenant.channels)));
      before = body.entries.at(-1)?.id;
      if (isWhole && body.more) continue;
      return { outcome: 'ok', answer: { entries, ...(first !== undefined && { cursor: first }) } };
    }
  }

  private async control(
    tenant: Tenant,
    route: string,
    args: object,
    read?: (body: Body) => object,
  ): Promise<Ended & { answer?: Body }> {
    const headers = { 'x-sandbox-token': tenant.controlToken };
    const { status, body } = await this.send(`/api/sandboxes/${tenant.id}/${route}`, headers, args);
    if (status < 300) return { outcome: 'ok', ...(read && { answer: read(body) }) };
    return judged(status, String(body.message));
  }

  /** Reads a channel in a copy that is made of the tenant as it is now, and deletes the copy. */
  private async copied(tenant: Tenant, channel: string): Promise<Ended> {
    const name = `for copy ${this.count++}`;
    const saved = await this.control(tenant, 'snapshots', { name }, ({ id }) => ({ id }));
    if (saved.outcome !== 'ok') return saved;
    const { id: from } = saved.answer;
    const operator = { 'x-admin-token': OPERATOR };
    const { status, body } = await this.send('/api/sandboxes', operator, { from, ttl_seconds: 120 });
    const ended =
      status === 201 ? await this.historyOfCopy(tenant, channel, body.credentials) : judged(status, body.message);
    if (status === 201) await this.send(`/api/sandboxes/${body.id}`, operator, undefined, 'DELETE');
    const control = { 'x-sandbox-token': tenant.controlToken };
    await this.send(`/api/sandboxes/${tenant.id}/snapshots/${from}`, control, undefined, 'DELETE');
    return ended;
  }

  private async historyOfCopy(tenant: Tenant, channel: string, { channels, users }: Body): Promise<Ended> {
    // only the tokens of documents are people's own: in a copy they have a session
    const ended = await this.history(channels[nameOf(tenant.channels.indexOf(channel))], users.u0.access_token);
    const pages = (ended.answer as { pages: SeenMessage[][] } | undefined)?.pages;
    return { ...ended, ...(pages && { answer: { pages: pages.map((page) => page.map(withoutReactions)) } }) };
  }

  private async upload(channel: string, title: string, token: string): Promise<Ended> {
    const bytes = bytesOf(title);
    const args = { filename: `${title}.txt`, length: bytes.length };
    let slot: Body;
    const taken = await this.method('files.getUploadURLExternal', token, args, (body) => (slot = body));
    if (taken.outcome !== 'ok') return NOT_UPLOADED;
    // at another replica than the one that gave it out
    const put = await fetch(`${this.replica()}${new URL(slot.upload_url).pathname}`, { method: 'POST', body: bytes });
    if (put.status !== 200) return NOT_UPLOADED;
    const files = [{ id: slot.file_id, title }];
    return this.method('files.completeUploadExternal', token, { files, channel_id: channel });
  }

  /** Lists the files and reads the newest one. */
  private async files(tenant: Tenant, token: string): Promise<Ended> {
    let found: Body[] = [];
    const ended = await this.method('files.list', token, { count: 1_000 }, ({ files }) => (found = files));
    if (ended.outcome !== 'ok') return ended;
    const [newest] = found;
    const seenFiles: SeenFile[] = found.map(({ title }) => ({ title }));
    if (!newest) return { outcome: 'ok', answer: { files: [] } };
    const url = `${this.replica()}${new URL(newest.url_private).pathname}`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    // a reset or a deletion may have come between
    if (answer.status !== 200) return { outcome: 'ok', answer: { files: seenFiles } };
    const isWhole = Buffer.from(await answer.arrayBuffer()).equals(bytesOf(newest.title));
    return { outcome: 'ok', answer: { files: [{ title: newest.title, isWhole }, ...seenFiles.slice(1)] } };
  }

  private async method(name: string, token: string, args: object, read?: (body: Body) => object): Promise<Ended> {
    const { status, body } = await this.send(`/api/${name}`, { authorization: `Bearer ${token}` }, args);
    if (body.ok === true) return { outcome: 'ok', ...(read && { answer: read(body) }) };
    return judged(status, String(body.error));
  }

  private async graphql(
    tenant: Tenant,
    query: string,
    variables: object,
    read: (data: Body) => object,
  ): Promise<Ended> {
    const { status, body } = await this.send('/graphql', { authorization: tenant.apiKey }, { query, variables });
    if (body.errors === undefined && body.data) return { outcome: 'ok', answer: read(body.data) };
    const code = String(body.errors?.[0]?.extensions?.code);
    return /INTERNAL|UNAVAILABLE|TIMEOUT/.test(code) ? { outcome: 'unknown', error: code } : judged(status, code);
  }

  private async send(
    path: string,
    headers: Record<string, string>,
    body: object | undefined,
    method: 'GET' | 'POST' | 'DELETE' = 'POST',
  ): Promise<{ status: number; body: Body }> {
    const answer = await request(`${this.replica()}${path}`, {
      dispatcher: this.connections,
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.statusCode, body: (await answer.body.json()) as Body };
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- answers are read freely
type Body = any;

const judged = (status: number, error: string): Ended => ({
  outcome: status >= 500 || UNCERTAIN.has(error) ? 'unknown' : 'refused',
  error,
});

/** What is sent as the file of this title: longer than one packet of the network. */
const bytesOf = (title: string): Buffer => Buffer.from(`${title}\n`.repeat(TIMES_TITLE));

/** What agents wrote, without the thread's parent. */
const streamed = (messages: readonly Body[], parent: string): SeenStream[] =>
  messages
    .filter(({ ts }) => ts !== parent)
    .map(({ ts, text }) => ({ ts, words: text.split(/\s+/).filter((word: string) => word !== '') }));

/** How many entries of a timeline are read at once. */
const PAGE = 200;

/** What the post of a message to one of these channels left. */
function seenEntry({ kind, ...entry }: Body, channels: readonly string[]): SeenEntry[] {
  const isPost = kind === 'call' && entry.method === 'chat.postMessage';
  const message = isPost
    ? { ...entry.args, ts: entry.answer?.ts }
    : kind === 'event' && entry.event === 'message'
      ? entry.data
      : kind === 'delivery'
        ? (entry.request?.body?.event ?? entry.request?.body?.payload?.event)
        : undefined;
  if (!message || message.subtype !== undefined || !channels.includes(message.channel)) return [];
  const { channel, ts, text } = message;
  const isOk = kind === 'call' ? entry.ok : entry.error === undefined;
  return [{ kind, channel, ts, text, ...(kind !== 'event' && { isOk }) }];
}

/** What people wrote: not that somebody joined, and no tombstones. */
const seen = (messages: readonly Body[]): SeenMessage[] =>
  messages
    .filter(({ subtype }) => subtype === undefined)
    .map(({ ts, text, thread_ts: thread, reply_count: replyCount, latest_reply: latestReply, reactions }) => ({
      ts,
      text,
      ...(thread !== undefined && thread !== ts && { thread }),
      ...(replyCount > 0 && { replyCount }),
      ...(latestReply !== undefined && { latestReply }),
      ...(reactions !== undefined && { reactions }),
    }));
