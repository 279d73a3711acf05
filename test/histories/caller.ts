import type { Client, Place } from './generator.js';
import type { Call, Operation, Outcome, SeenIssue, SeenMessage, SeenStream } from './history.js';

/** A tenant of the run, with what its calls need. */
export interface Tenant extends Place {
  readonly id: string;
  readonly controlToken: string;
  readonly apiKey: string;
  readonly teamId: string;
  /** The app-level token of the app in Socket Mode. */
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

const CREATE = `mutation($input: IssueCreateInput!) { issueCreate(input: $input) { lastSyncId issue { id number title } } }`;
const UPDATE = `mutation($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { lastSyncId } }`;
const LIST = `query($after: String) { issues(first: 250, after: $after) { nodes { id number title } pageInfo { hasNextPage endCursor } } }`;

/** Makes calls over HTTP, each at a replica of its own choosing, and records how they end. */
export class Caller {
  private count = 0;

  constructor(
    /** The base URL of some replica; undefined when none runs. */
    private readonly replica: () => string | undefined,
    private readonly now: () => number,
    /** How many messages a page of a history has. */
    private readonly pageSize: () => number,
  ) {}

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
        return this.history(call.channel, call.token);
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
        return this.issues(tenant);
      case 'reset':
        return this.reset(tenant);
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

  private async issues(tenant: Tenant): Promise<Ended> {
    const pages: SeenIssue[][] = [];
    for (let after: string | null = null; ;) {
      const ended: Ended = await this.graphql(tenant, LIST, { after }, ({ issues: { nodes, pageInfo } }) => {
        pages.push(nodes);
        after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
        return {};
      });
      if (ended.outcome !== 'ok') return ended;
      if (after === null) return { outcome: 'ok', answer: { pages } };
    }
  }

  private async reset(tenant: Tenant): Promise<Ended> {
    const headers = { 'x-sandbox-token': tenant.controlToken };
    const { status, body } = await this.send(`/api/sandboxes/${tenant.id}/reset`, headers, {});
    return status === 200 ? { outcome: 'ok' } : judged(status, String(body.message));
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
    body: object,
  ): Promise<{ status: number; body: Body }> {
    const replica = this.replica();
    if (replica === undefined) throw new Error('no replica runs');
    const answer = await fetch(`${replica}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    return { status: answer.status, body: (await answer.json()) as Body };
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- answers are read freely
type Body = any;

const judged = (status: number, error: string): Ended => ({
  outcome: status >= 500 || UNCERTAIN.has(error) ? 'unknown' : 'refused',
  error,
});

/** What agents wrote, without the thread's parent. */
const streamed = (messages: readonly Body[], parent: string): SeenStream[] =>
  messages
    .filter(({ ts }) => ts !== parent)
    .map(({ ts, text }) => ({ ts, words: text.split(/\s+/).filter((word: string) => word !== '') }));

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
