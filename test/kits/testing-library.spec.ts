import { beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { sandboxMatchers } from '../../clients/js/src/expectations.js';
import {
  ApiError,
  connect,
  ExpectationError,
  toMatcher,
  type Sandbox,
  type Server,
} from '../../clients/js/src/testing.js';
import { useApp } from '../support/app.js';
import { eventually, receiver, type Receiver } from '../support/receiver.js';
import { unique } from '../support/unique.js';

const app = useApp();

const APPROVAL = [
  {
    type: 'actions',
    block_id: 'ask',
    elements: [{ type: 'button', action_id: 'approve', value: 'yes', text: { type: 'plain_text', text: 'Approve' } }],
  },
];

/** The app under test posts its answer. */
async function post(sandbox: Sandbox, body: object): Promise<{ ok: boolean; ts: string; channel: string }> {
  const { SLACK_API_URL, SLACK_BOT_TOKEN } = sandbox.env('deploy-bot');
  const response = await fetch(`${SLACK_API_URL}chat.postMessage`, {
    method: 'POST',
    headers: { authorization: `Bearer ${SLACK_BOT_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as { ok: boolean; ts: string; channel: string };
}

const SOCKET_APP = {
  display_information: { name: 'socket-bot' },
  oauth_config: { scopes: { bot: ['chat:write'] } },
  settings: { socket_mode_enabled: true },
};
const label = (text: string) => ({ type: 'plain_text', text });
const MODAL = {
  type: 'modal',
  callback_id: 'why',
  title: label('Why?'),
  submit: label('Send'),
  blocks: [
    {
      type: 'input',
      block_id: 'b',
      label: label('Reason'),
      element: { type: 'plain_text_input', action_id: 'reason' },
    },
  ],
};

describe('understudy/testing', () => {
  let server: Server;
  let sandbox: Sandbox;
  let channel: string;
  let hook: Receiver;
  let forms: Receiver;

  beforeAll(async () => {
    [hook, forms] = await Promise.all([receiver(), receiver()]);
    server = connect({ url: `${app.baseUrl}/`, adminToken: app.settings.adminToken as string });
    sandbox = await server.createSandbox({
      users: ['alice', 'bob'],
      channels: [{ name: 'war-room', members: ['alice', 'deploy-bot'] }],
      apps: [
        {
          name: 'deploy-bot',
          scopes: { bot: ['chat:write', 'channels:history', 'commands'] },
          interactivity_url: hook.url,
          commands: [{ command: '/deploy', url: hook.url }],
        },
        {
          name: 'forms-bot',
          manifest: {
            display_information: { name: 'forms-bot' },
            features: {
              app_home: { home_tab_enabled: true },
              shortcuts: [{ name: 'Why', type: 'global', callback_id: 'ask', description: 'Asks' }],
              slash_commands: [{ command: '/why', url: forms.url, description: 'Asks' }],
            },
            oauth_config: { scopes: { bot: ['chat:write', 'commands'] } },
            settings: { interactivity: { is_enabled: true, request_url: forms.url }, socket_mode_enabled: false },
          },
        },
        { name: 'socket-bot', manifest: SOCKET_APP },
      ],
    });
    channel = sandbox.credentials.channels['war-room'] as string;
    return () => sandbox.delete({ force: true });
  });

  it('answers the environment variables of an app', () => {
    expect(server.url).toBe(app.baseUrl);
    const env = sandbox.env('deploy-bot');
    const own = sandbox.credentials.apps['deploy-bot'];
    expect(env).toMatchObject({
      SLACK_API_URL: `${app.baseUrl}/api/`,
      SLACK_BOT_TOKEN: own?.bot_token,
      SLACK_SIGNING_SECRET: own?.signing_secret,
      LINEAR_API_URL: `${app.baseUrl}/graphql`,
      LINEAR_API_KEY: sandbox.credentials.api_key,
      LINEAR_CLIENT_ID: sandbox.credentials.tracker_apps['default-app']?.client_id,
      LINEAR_CLIENT_SECRET: expect.stringMatching(/^[0-9a-f]{64}$/),
      LINEAR_AUTHORIZE_URL: `${app.baseUrl}/oauth/authorize`,
      LINEAR_TOKEN_URL: `${app.baseUrl}/oauth/token`,
    });
    expect(sandbox.env('socket-bot').SLACK_APP_TOKEN).toMatch(/^xapp-1-A/);
    // typed by name, so that strict projects need no checks
    expectTypeOf(env.SLACK_BOT_TOKEN).toEqualTypeOf<string>();
    expectTypeOf(env).toExtend<NodeJS.ProcessEnv>();
    expect(() => sandbox.env('nobody')).toThrow(/no app nobody; it has .*deploy-bot/);
  });

  it('names the pages of consent as the vendors do in a sandbox that gives out their URLs', async () => {
    const made = await server.createSandbox({ urls: 'vendor' });
    expect(made.env()).toMatchObject({
      SLACK_API_URL: `${app.baseUrl}/api/`,
      SLACK_AUTHORIZE_URL: 'https://slack.com/oauth/v2/authorize',
      LINEAR_AUTHORIZE_URL: 'https://linear.app/oauth/authorize',
      LINEAR_TOKEN_URL: 'https://api.linear.app/oauth/token',
    });
    await made.delete();
  });

  it('answers a missing scope with status 200 as Slack does, unless the document says otherwise', async () => {
    const statusIn = async (made: Sandbox): Promise<number> => {
      const { SLACK_API_URL, SLACK_BOT_TOKEN } = made.env('poor');
      const headers = { authorization: `Bearer ${SLACK_BOT_TOKEN}` };
      const refused = await fetch(`${SLACK_API_URL}users.list`, { method: 'POST', headers });
      expect(await refused.json()).toMatchObject({ ok: false, error: 'missing_scope', needed: 'users:read' });
      return refused.status;
    };
    const apps = [{ name: 'poor', scopes: { bot: ['chat:write'] } }];
    await using lenient = await server.createSandbox({ apps });
    await using strict = await server.createSandbox({ apps, missing_scope_status: 403 });
    expect([await statusIn(lenient), await statusIn(strict)]).toEqual([200, 403]);
  });

  it('acts as a user, and waits for what the app does', async () => {
    await sandbox.reset();
    const asked = await sandbox.as('alice').post('#war-room', 'deploy <@deploy-bot>');
    expect(asked).toMatchObject({ channel, ts: expect.any(String) });
    const bot = sandbox.credentials.apps['deploy-bot']?.bot_user_id;
    expect(await sandbox.waitForMessage({ channel: '#war-room', user: 'alice' })).toMatchObject({
      text: `deploy <@${bot}>`,
    });
    const waiting = sandbox.waitForMessage({ channel: '#war-room', text: /DEPLOYED/i });
    const answered = await post(sandbox, { channel, text: 'deployed', thread_ts: asked.ts });
    expect(await waiting).toMatchObject({ text: 'deployed', ts: answered.ts, thread_ts: asked.ts });
    await post(sandbox, { channel, text: 'and checked' });
    const calls = await sandbox.waitForCall('chat.postMessage', { times: 2, where: { ok: true } });
    expect(calls).toHaveLength(2);
    await sandbox.waitForIdle();
  });

  it('reacts, edits, replies, joins, writes to an app, clicks', async () => {
    await sandbox.reset();
    const alice = sandbox.as('alice');
    const message = await alice.post('#war-room', 'first');
    await alice.react(message, 'tada');
    await alice.unreact(message, 'tada');
    await alice.edit(message, 'second');
    const reply = await alice.reply(message, 'below');
    await alice.remove(reply);
    await sandbox.as('bob').join('#war-room');
    await sandbox.as('bob').leave('#war-room');
    await alice.invite('#war-room', ['bob']);
    await alice.openDm('deploy-bot', 'hi');
    const [joined] = await sandbox.waitForEvent('member_joined_channel');
    expect(joined).toMatchObject({ kind: 'event', event: 'member_joined_channel' });
    expect(await alice.screen()).toMatchObject({ modals: [], ephemeral: [] });
    const asked = await post(sandbox, { channel, text: 'sure?', blocks: APPROVAL });
    expect(await alice.click(asked, 'approve', { until: 'ack' })).toMatchObject({ timed_out: false });
    expect(await alice.command('#war-room', '/deploy', 'prod', { until: 'ack' })).toMatchObject({ timed_out: false });
    const bodies = hook.received.map(({ body }) => new URLSearchParams(body));
    expect(JSON.parse(bodies[0]?.get('payload') as string)).toMatchObject({ actions: [{ action_id: 'approve' }] });
    expect(bodies[1]?.get('command')).toBe('/deploy');
    await expect(alice.click(asked, 'deny')).rejects.toBeInstanceOf(ApiError);
  });

  it('fills in modals, runs shortcuts, opens App Homes', async () => {
    await sandbox.reset();
    const { SLACK_API_URL, SLACK_BOT_TOKEN } = sandbox.env('forms-bot');
    const payloads = (): Record<string, unknown>[] =>
      forms.received.map(({ body }) => JSON.parse(new URLSearchParams(body).get('payload') ?? '{}') as object as never);
    // the app opens a modal before it acknowledges, so the modal exists when the command answers
    forms.answer = async ({ body }, reply) => {
      const trigger_id = new URLSearchParams(body).get('trigger_id');
      if (trigger_id !== null) {
        await fetch(`${SLACK_API_URL}views.open`, {
          method: 'POST',
          headers: { authorization: `Bearer ${SLACK_BOT_TOKEN}`, 'content-type': 'application/json' },
          body: JSON.stringify({ trigger_id, view: MODAL }),
        });
      }
      reply.end();
    };
    const alice = sandbox.as('alice');
    const top = async () => ((await alice.screen())['modals'] as { id: string }[]).at(-1) as { id: string };
    await alice.command('#war-room', '/why');
    const view = await top();
    expect(view).toMatchObject({ callback_id: 'why' });
    expect((await alice.submit(view)).result).toMatchObject({ errors: { b: 'required' } });
    await alice.type(view, { reason: 'beca' });
    await alice.submit(view, { reason: 'because' });
    expect(payloads()).toContainEqual(
      expect.objectContaining({
        type: 'view_submission',
        view: expect.objectContaining({
          state: { values: { b: { reason: expect.objectContaining({ value: 'because' }) } } },
        }),
      }),
    );
    await alice.command('#war-room', '/why');
    await alice.close(await top());
    expect(await alice.screen()).toMatchObject({ modals: [] });
    await alice.shortcut('ask');
    expect(payloads()).toContainEqual(expect.objectContaining({ type: 'shortcut', callback_id: 'ask' }));
    await alice.home('forms-bot', { until: 'none' });
    await sandbox.waitForEvent('app_home_opened');
  });

  it('clicks in a modal and on an App Home, and types into an external select', async () => {
    await sandbox.reset();
    forms.received.length = 0;
    const { SLACK_API_URL, SLACK_BOT_TOKEN } = sandbox.env('forms-bot');
    const call = (method: string, body: object): Promise<Response> =>
      fetch(SLACK_API_URL + method, {
        method: 'POST',
        headers: { authorization: `Bearer ${SLACK_BOT_TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const payload = (body: string) => JSON.parse(new URLSearchParams(body).get('payload') ?? '{}');
    const button = { type: 'button', action_id: 'again', value: 'yes', text: label('Again') };
    const cities = { type: 'external_select', action_id: 'city', placeholder: label('City'), min_query_length: 0 };
    const blocks = [{ type: 'actions', block_id: 'both', elements: [button, cities] }];
    forms.answer = async ({ body }, reply) => {
      const trigger_id = new URLSearchParams(body).get('trigger_id');
      if (trigger_id !== null)
        await call('views.open', { trigger_id, view: { type: 'modal', title: label('Pick'), blocks } });
      if (payload(body).type !== 'block_suggestion') return void reply.end();
      reply.setHeader('content-type', 'application/json');
      reply.end(JSON.stringify({ options: [{ text: label(`${payload(body).value}lin`), value: 'b' }] }));
    };
    const alice = sandbox.as('alice');
    await alice.command('#war-room', '/why');
    const [view] = (await alice.screen())['modals'] as { id: string }[];
    await alice.click(view as { id: string }, 'again');
    expect((await alice.suggest((view as { id: string }).id, 'city', 'Ber')).options).toMatchObject([
      { text: { text: 'Berlin' }, value: 'b' },
    ]);
    const user_id = sandbox.credentials.users['alice']?.user_id;
    await call('views.publish', { user_id, view: { type: 'home', blocks } });
    await alice.home('forms-bot');
    await alice.click({ home: 'forms-bot' }, 'again', { blockId: 'both' });
    expect((await alice.suggest({ home: 'forms-bot' }, 'city', 'Dub')).options).toHaveLength(1);
    const { channel: im, ts } = await alice.openDm('forms-bot', 'hi');
    const asked = (await (
      await call('chat.postMessage', { channel: im, text: 'where?', blocks, thread_ts: ts })
    ).json()) as {
      ts: string;
    };
    expect((await alice.suggest({ channel: im, ts: asked.ts }, 'city', 'Par')).options).toHaveLength(1);
    expect(
      forms.received.map(({ body }) => payload(body)).flatMap(({ type, view: on }) => (type ? [[type, on?.type]] : [])),
    ).toEqual([
      ['block_actions', 'modal'],
      ['block_suggestion', 'modal'],
      ['block_actions', 'home'],
      ['block_suggestion', 'home'],
      ['block_suggestion', undefined],
    ]);
  });

  it('waits for the reply to a post if it is told how long', async () => {
    await sandbox.reset();
    const { received, url } = await receiver();
    await sandbox.seed({ outgoing_webhooks: [{ url, events: ['message'] }] });
    const alice = sandbox.as('alice');
    const answering = expect
      .poll(() => received.length)
      .toBe(1)
      .then(() => post(sandbox, { channel, text: 'here' }));
    const asked = await alice.post('#war-room', 'anybody?', { waitMs: 10_000 });
    expect(asked).toMatchObject({ timed_out: false, replies: { messages: [{ text: 'here' }] } });
    await answering;
    expect(await alice.post('#war-room', 'and now?', { waitMs: 50 })).toMatchObject({ timed_out: true });
    expect(await alice.post('#war-room', 'no matter')).toMatchObject({ timed_out: false });
  });

  it('shows which message or call there was that a test denies, and the timeline', async () => {
    await sandbox.reset();
    await post(sandbox, { channel, text: 'undone after all' });
    const matchers = sandboxMatchers(() => undefined);
    const denied = async (answer: Promise<{ pass: boolean; message: () => string }>): Promise<string> => {
      const { pass, message } = await answer;
      expect(pass).toBe(true);
      return message();
    };
    const posted = await denied(matchers.toHavePosted.call({ isNot: true }, sandbox, { text: /undone/ }));
    expect(posted).toMatch(/^expected no such message to be posted, but there was \{.*"undone after all"/);
    expect(posted).toMatch(/the last entries of the timeline:\n[\s\S]*chat\.postMessage/);
    const called = await denied(matchers.toHaveCalled.call({ isNot: true }, sandbox, 'chat.postMessage'));
    expect(called).toMatch(/^expected no call of chat\.postMessage, but there was \[\{.*"undone after all"/);
  });

  it('asserts a complete effect, or throws with the server’s messages', async () => {
    await sandbox.reset();
    await post(sandbox, { channel, text: 'done' });
    expect(await sandbox.changes()).toMatchObject({ added: { message: [{ text: 'done' }] } });
    const effect = (text: string) => [{ added: 'message', where: { channel: '#war-room', text }, count: 1 }];
    await sandbox.assert({ expect: effect('done'), nothingElse: ['message'] });
    const refused = await sandbox
      .assert({ expect: effect('undone'), nothingElse: ['message'] })
      .catch((error) => error);
    expect(refused).toBeInstanceOf(ExpectationError);
    expect((refused as Error).message).toMatch(
      /expected 1 message.*undone.*\n[\s\S]*text: expected "undone", was "done"/,
    );
    expect((refused as Error).message).toContain('the last entries of the timeline:\n');
    const before = await sandbox.snapshot();
    await post(sandbox, { channel, text: 'too much' });
    expect((await sandbox.changes(before)).added['message']).toMatchObject([{ text: 'too much' }]);
    await sandbox.reset(before);
    await sandbox.assert({ expect: effect('done'), nothingElse: ['message'] });
  });

  it('reports what broke a quiet period, the closest entries, and the last entries of the timeline', async () => {
    await sandbox.reset();
    await sandbox.expectQuiet('message', { forMs: 20 });
    await sandbox.as('alice').post('#war-room', 'noise');
    await expect(sandbox.expectQuiet('message', { forMs: 20 })).resolves.toBeUndefined();
    const waited = await sandbox.waitForMessage({ channel: '#war-room', text: /deployed/, timeoutMs: 50 }).then(
      () => undefined,
      (error: unknown) => error as Error,
    );
    expect(waited).toBeInstanceOf(ExpectationError);
    expect(waited?.message).toContain('closest 1:');
    expect(waited?.message).toMatch(/text: expected .*deployed.*, was "noise"/);
    expect(waited?.message).toContain('the last entries of the timeline:\n');
    expect(waited?.message).toContain(`the sandbox is kept: ${sandbox.id}`);
    expect(sandbox.failed).toBe(true);
  });

  it('makes calls fail inside a scope', async () => {
    await sandbox.reset();
    {
      await using fault = await sandbox.fault('chat.postMessage', { type: 'ratelimited', retryAfter: 1, times: null });
      expect(await post(sandbox, { channel, text: 'no' })).toMatchObject({ ok: false, error: 'ratelimited' });
      expect(await fault.fired()).toBe(1);
    }
    expect(await post(sandbox, { channel, text: 'yes' })).toMatchObject({ ok: true });
    await sandbox.fault('chat.*', { type: 'error', error: 'fatal_error', where: { args: { text: /^bad/ } } });
    expect(await post(sandbox, { channel, text: 'good' })).toMatchObject({ ok: true });
    expect(await post(sandbox, { channel, text: 'bad' })).toMatchObject({ ok: false, error: 'fatal_error' });
    await sandbox.clearFaults();
  });

  it('holds deliveries and releases them in another order', async () => {
    await sandbox.reset();
    const { received, until, url } = await receiver();
    await sandbox.seed({ outgoing_webhooks: [{ url, events: ['message'] }] });
    await sandbox.deliveries.hold();
    for (const text of ['one', 'two']) await post(sandbox, { channel, text });
    await expect.poll(() => sandbox.deliveries.list({ state: 'held' })).toHaveLength(2);
    expect(await sandbox.deliveries.release({ order: 'reversed' })).toBe(2);
    await sandbox.deliveries.flush();
    const texts = (): string[] =>
      received.map(({ body }) => (JSON.parse(body) as { event: { text: string } }).event.text);
    await until(() => received.length === 2);
    expect(texts()).toEqual(['two', 'one']);
    const [newest] = await sandbox.deliveries.list({ state: 'done' });
    await sandbox.deliveries.redeliver(newest?.id as string);
    await until(() => received.length === 3);
    const waited = await sandbox.waitFor({ for: 'delivery', count: 3 });
    expect(waited[0]).toMatchObject({ kind: 'delivery', response: { status: 200 } });
  });

  it('sets, freezes and advances the clock', async () => {
    await sandbox.reset();
    const later = new Date(Date.now() + 86_400_000).toISOString();
    expect(await sandbox.clock.set(later, { frozen: true })).toMatchObject({ now: later, frozen: true });
    const { now } = await sandbox.clock.advance('1h');
    expect(Date.parse(now) - Date.parse(later)).toBe(3_600_000);
    await sandbox.clock.advance(60);
    expect(await sandbox.clock.freeze()).toMatchObject({ frozen: true });
    expect(await sandbox.clock.reset()).toMatchObject({ offset_ms: 0, frozen: false });
    expect(await sandbox.clock.get()).toMatchObject({ offset_ms: 0 });
  });

  it("finds an issue of the tracker, and throws the server's errors", async () => {
    await sandbox.reset();
    await sandbox.seed({ tracker: { teams: [{ key: 'ENG', issues: [{ title: 'Fix login' }] }] } });
    await sandbox.waitForIssue({ title: /login/ });
    const refusal = await server.createSandbox({ users: [{ name: 'A B' }] }).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ name: 'ApiError', status: 400 });
    await sandbox.note('the end', { n: 1 });
    expect(await sandbox.timeline({ kind: 'note' })).toMatchObject([{ text: 'the end' }]);
    expect(await sandbox.mark()).toEqual(expect.any(String));
  });

  it('claims sandboxes that are ready in a pool', async () => {
    const { id: from } = await sandbox.snapshot();
    await using pool = await server.createPool({ name: unique('kit'), from, size: 1, ttlSeconds: 600 });
    await eventually(async () => (await pool.state()).ready === 1, 'one is ready');
    await using claimed = await pool.claim({ name: 'rollout', labels: { step: '1' } });
    expect(Object.keys(claimed.credentials.apps)).toEqual(Object.keys(sandbox.credentials.apps));
    await claimed.as('alice').post('#war-room', 'mine alone');
    await claimed.waitForMessage({ text: 'mine alone' });
    await pool.change({ size: 2, refill: false });
    await using another = await server.claim(pool.name);
    expect(await pool.state()).toMatchObject({ size: 2, claimed: 2 });
    expect(another.id).not.toBe(claimed.id);
    await pool.remove();
    await expect(server.claim(pool.name)).rejects.toMatchObject({ status: 404 });
  });

  it('claims sandboxes in which the same calls have the same answers, and whose clocks go on with each', async () => {
    await using world = await server.createSandbox({
      id_space: 'own',
      deterministic: true,
      random_seed: 5,
      clock: { now: '2026-03-01T09:00:00Z', frozen: true },
      users: ['alice'],
    });
    const { id: from } = await world.snapshot();
    const name = unique('same');
    await using pool = await server.createPool({ name, from, size: 2, idSpace: 'own', deterministic: true });
    const posted: unknown[] = [];
    for (let n = 0; n < 2; n++) {
      await using claimed = await pool.claim();
      await claimed.clock.set('2026-03-01T10:00:00Z', { frozen: true, tickMs: 1_000 });
      for (const text of ['one', 'two']) {
        posted.push({ ...(await claimed.as('alice').post('#general', text)), waited_ms: 0 });
      }
      expect((await claimed.clock.get()).now).toBe('2026-03-01T10:00:02.000Z');
    }
    expect(posted.slice(2)).toEqual(posted.slice(0, 2));
  });

  it('converts regular expressions to RE2, or refuses them', () => {
    expect(toMatcher({ text: /a\/b(?<n>\u00e9)/imsu })).toEqual({ text: { $matches: '(?ims)a/b(?P<n>\\x{00e9})' } });
    expect(toMatcher([/x/])).toEqual([{ $matches: 'x' }]);
    for (const bad of [/x/g, /x/y, /a(?=b)/, /(?<!a)b/, /(a)\1/]) expect(() => toMatcher(bad)).toThrow(TypeError);
  });
});
