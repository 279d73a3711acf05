import type { TestApp } from './app.js';
import type { Answer } from './sandbox.js';
import { receiver, type Receiver } from './receiver.js';

const OPERATOR = { 'x-admin-token': 'operator-of-the-tests' };

const USERS = [
  { name: 'alice', real_name: 'Alice Doe', is_admin: true },
  { name: 'bob', real_name: 'Bob Rößler-Świątek' },
  { name: 'carol', real_name: 'Carol with a name that goes on for rather longer than anybody planned' },
];

/**
 * A sandbox as a test suite leaves it: apps whose endpoints answer or fail, calls with every outcome, faults,
 * inboxes, notes. It fills the pages of the web UI with data.
 */
export class BusySandbox {
  private constructor(
    private readonly app: TestApp,
    // specs read nested fields freely
    // oxlint-disable-next-line no-explicit-any
    readonly made: any,
    readonly good: Receiver,
    readonly bad: Receiver,
  ) {}

  static async make(app: TestApp, name = 'checkout suite · worker 3'): Promise<BusySandbox> {
    const good = await receiver((request, reply) => {
      const sent = request.body.startsWith('{') ? (JSON.parse(request.body) as { challenge?: string }) : {};
      reply.end(sent.challenge ?? '{"ok":true}');
    });
    const bad = await receiver((request, reply) => {
      const sent = request.body.startsWith('{') ? (JSON.parse(request.body) as { challenge?: string }) : {};
      if (sent.challenge === undefined) reply.writeHead(500, { 'content-type': 'text/plain' }).end('database is down');
      else reply.end(sent.challenge);
    });
    const busy = new BusySandbox(app, null, good, bad);
    const made = await busy.send('POST', '/api/sandboxes', OPERATOR, {
      name,
      labels: { suite: 'checkout', branch: 'feature/a-rather-long-branch-name-of-somebody' },
      journal: true,
      rate_limit_multiplier: 1,
      team: { name: 'Acme Deployments' },
      users: USERS,
      channels: [
        { name: 'war-room', members: ['alice', 'bob', 'deploy-bot', 'pager'], topic: 'Incidents', messages: 40 },
        { name: 'a-channel-with-a-name-as-long-as-names-of-channels-may-be', members: ['alice', 'bob'] },
      ],
      apps: [
        {
          name: 'deploy-bot',
          scopes: { bot: ['chat:write', 'channels:read', 'channels:history', 'commands', 'app_mentions:read'] },
          event_subscriptions: { request_url: good.url, bot_events: ['message', 'reaction_added'] },
          commands: [
            { command: '/deploy', url: good.url, description: 'Deploys a version', usage_hint: '[environment]' },
          ],
        },
        {
          name: 'pager',
          scopes: { bot: ['chat:write', 'channels:history'] },
          event_subscriptions: {
            request_url: `${bad.url}/with/a/path/that/is/longer/than/any/column/of/any/table/and/then/some?token=abcdefgh`,
            bot_events: ['message'],
          },
        },
      ],
      tracker: { teams: [{ key: 'ENG', name: 'Engineering', issues: [{ title: 'Checkout times out' }] }] },
    });
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
    (busy as { made: unknown }).made = made.body;
    await busy.callEverything();
    return busy;
  }

  /** Calls a sandbox route as its admin, with its control token. */
  control(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.send(method, `/api/sandboxes/self${path}`, this.controlHeader, body);
  }

  /** Calls a control-plane route as the operator. */
  operator(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.send(method, `/api${path}`, OPERATOR, body);
  }

  /** The id of a channel. */
  async channel(name: string): Promise<string> {
    const bot = { authorization: `Bearer ${this.made.credentials.apps['deploy-bot'].bot_token as string}` };
    const { channels } = (await this.send('POST', '/api/conversations.list', bot, {})).body;
    return (channels as { id: string; name: string }[]).find((one) => one.name === name)?.id as string;
  }

  /** A single-use link into the web UI, as its admin Alice. */
  async link(to: string): Promise<string> {
    return String((await this.control('POST', '/ui-link', { user: 'alice', to })).body.url);
  }

  private get controlHeader(): Record<string, string> {
    return { 'x-sandbox-token': this.made.credentials.control_token };
  }

  /** Calls of all kinds, as a test suite makes them. */
  private async callEverything(): Promise<void> {
    const { apps } = this.made.credentials;
    const bot = { authorization: `Bearer ${apps['deploy-bot'].bot_token}` };
    const pager = { authorization: `Bearer ${apps.pager.bot_token}` };
    const call = (method: string, args: object, as = bot) => this.send('POST', `/api/${method}`, as, args);
    await this.control('POST', '/timeline', { text: 'checkout.spec.ts › pays with a card that needs a second look' });
    for (let i = 1; i <= 12; i++) {
      await call('chat.postMessage', { channel: 'war-room', text: `Deploy ${i} of *checkout* to staging :rocket:` });
    }
    await call('chat.postMessage', { channel: 'random', text: 'anybody here?' }, pager);
    await call('chat.postMessage', { channel: 'C0NOTHERE01', text: 'x' });
    await call('users.info', { user: 'U0NOBODY001' });
    await call('conversations.history', { channel: 'war-room', limit: 5 });
    await call('auth.test', {}, pager);
    await call('chat.postMessage', {
      channel: 'war-room',
      text: 'Deploy 42 to production?',
      blocks: [
        { type: 'section', text: { type: 'mrkdwn', text: 'Deploy *42* to production?' } },
        { type: 'actions', elements: [{ type: 'button', action_id: 'go', text: { type: 'plain_text', text: 'Go' } }] },
      ],
    });
    await this.control('POST', '/faults', {
      on: { method: 'chat.postMessage', app: 'deploy-bot' },
      fault: { type: 'ratelimited', retry_after: 30 },
      times: 1,
    });
    await call('chat.postMessage', { channel: 'war-room', text: 'this one is refused' });
    await this.control('POST', '/faults', {
      on: { method: 'conversations.*', where: { channel: 'C0WARROOM01' } },
      fault: { type: 'delay', ms: 3000 },
      times: 3,
    });
    const key = { authorization: String(this.made.credentials.api_key) };
    await this.send('POST', '/graphql', key, {
      query: '{ issues(first: 20) { nodes { id title assignee { name } labels { nodes { name } } } } }',
    });
    await this.send('POST', '/graphql', key, { query: '{ issue(id: "ENG-404") { title } }' });
    const inbox = await this.control('POST', '/inboxes', { name: 'receipts' });
    await fetch(String(inbox.body.url), { method: 'POST', body: '{"order":4711}' });
    await this.control('POST', '/timeline/mark', {});
    await this.bad.until((received) => received.length >= 2);
    await this.good.until((received) => received.length >= 4);
  }

  send(method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<Answer> {
    return fetch(`${this.app.baseUrl}${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).then(async (response) => ({
      status: response.status,
      headers: response.headers,
      body: (await response.json().catch(() => null)) as Answer['body'],
    }));
  }
}
