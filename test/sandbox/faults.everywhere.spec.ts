import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { ToolClient } from '../mcp/clients.js';
import { eventually } from '../support/receiver.js';
import { TestSandbox, type Answer } from '../support/sandbox.js';

// oxlint-disable-next-line no-explicit-any
type Any = any;

/** docs/reference/sandboxes.md#faults */
describe('each fault on each API', () => {
  const app = useApp();
  const fault = async (sandbox: TestSandbox, on: object | string, what: object, more: object = {}): Promise<Answer> => {
    const made = await sandbox.control('POST', '/faults', {
      on: typeof on === 'string' ? { method: on } : on,
      fault: what,
      ...more,
    });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    return made;
  };
  const hook = async (sandbox: TestSandbox): Promise<(text: string) => Promise<Response>> => {
    const made = await sandbox.send('POST', '/api/webhooks/incoming', sandbox.person, { channel: '#general' });
    return (text) =>
      fetch(made.body.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text }),
      });
  };

  /** A call of each kind: the Web API, GraphQL, a control route and an incoming webhook. */
  const callsOf = async (sandbox: TestSandbox): Promise<Record<string, [string, () => Promise<Any>]>> => {
    const posted = await hook(sandbox);
    const plain = async (response: Promise<Response>): Promise<Any> => {
      const { status, headers } = await response;
      return { status, headers, body: await (await response).text() };
    };
    return {
      chat: ['users.list', () => sandbox.call('users.list', {})],
      tracker: ['viewer', () => sandbox.graphql('{ viewer { id } }')],
      route: ['GET /api/commands', () => sandbox.send('GET', '/api/commands', sandbox.person)],
      webhook: ['webhooks.incoming', () => plain(posted('hello'))],
    };
  };

  it('answers instead of the call, in the format of the API', async () => {
    const sandbox = await TestSandbox.make(app);
    await sandbox.control('PATCH', '', { rate_limit_multiplier: 0 });
    const calls = await callsOf(sandbox);
    const met = async (what: object): Promise<Record<string, [number, unknown]>> => {
      const answers: Record<string, [number, unknown]> = {};
      for (const [name, [method, call]] of Object.entries(calls)) {
        await fault(sandbox, method, what);
        const { status, body } = await call();
        answers[name] = [status, body?.error ?? body?.errors?.[0]?.extensions?.code ?? body?.message ?? body];
        if (name === 'route') answers[name] = [status, body?.message ?? body];
        expect([name, (await call()).status]).toEqual([name, 200]);
      }
      return answers;
    };
    expect(await met({ type: 'ratelimited', retry_after: 7 })).toMatchObject({
      chat: [429, 'ratelimited'],
      tracker: [400, 'RATELIMITED'],
      route: [429, 'ratelimited'],
      webhook: [429, 'rate_limited'],
    });
    expect(await met({ type: 'error', error: 'account_inactive' })).toMatchObject({
      chat: [200, 'account_inactive'],
      route: [400, 'account_inactive'],
      webhook: [400, 'account_inactive'],
    });
    const page = { type: 'http', status: 502, body: 'bad gateway' };
    for (const answer of Object.values(await met(page))) expect(answer).toEqual([502, 'bad gateway']);
  });

  it('drops connections, loses and truncates answers, delays and duplicates on every API', async () => {
    const sandbox = await TestSandbox.make(app);
    await sandbox.control('PATCH', '', { rate_limit_multiplier: 0 });
    const calls = await callsOf(sandbox);
    for (const [name, [method, call]] of Object.entries(calls)) {
      for (const what of [{ type: 'drop' }, { type: 'lose_answer' }, { type: 'truncate' }]) {
        await fault(sandbox, method, what);
        await expect(call(), `${name} ${what.type}`).rejects.toThrow();
      }
      await fault(sandbox, method, { type: 'lose_answer', how: 'http' });
      expect([name, (await call()).status]).toEqual([name, 502]);
      await fault(sandbox, method, { type: 'delay', ms: 120 });
      const began = performance.now();
      expect([name, (await call()).status]).toEqual([name, 200]);
      expect(performance.now() - began).toBeGreaterThan(100);
      for (const what of [{ type: 'duplicate' }, { type: 'slow', bytes_per_second: 1e6 }]) {
        await fault(sandbox, method, what);
        expect([name, what.type, (await call()).status]).toEqual([name, what.type, 200]);
      }
    }
  });

  it('runs the call twice with the fault duplicate', async () => {
    const sandbox = await TestSandbox.make(app);
    const teams = (await sandbox.graphql('{ teams { nodes { id } } }')).body.data.teams.nodes;
    await fault(sandbox, 'issueCreate', { type: 'duplicate' });
    await sandbox.graphql('mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success } }', {
      input: { title: 'twice', teamId: teams[0].id },
    });
    const { nodes } = (await sandbox.graphql('{ issues { nodes { title } } }')).body.data.issues;
    expect(nodes).toEqual([{ title: 'twice' }, { title: 'twice' }]);
    const posted = await hook(sandbox);
    await fault(sandbox, 'webhooks.incoming', { type: 'duplicate' });
    await posted('twice');
    const { entries } = (await sandbox.control('GET', '/timeline?kind=event&text=twice')).body;
    expect(entries.filter(({ event }: Any) => event === 'message')).toHaveLength(2);
  });

  it('applies after authentication and before scopes, arguments and rate limits', async () => {
    const sandbox = await TestSandbox.make(app);
    await fault(sandbox, '*', { type: 'error', error: 'fatal_error' }, { times: null });
    const called = async (name: string, args: object, as?: Record<string, string>): Promise<unknown> =>
      (await sandbox.call(name, args, as)).body.error;
    expect(await called('chat.postMessage', {}, { authorization: 'Bearer xoxb-nobody' })).toBe('invalid_auth');
    expect(await called('no.such', {})).toBe('unknown_method');
    expect(await called('chat.postMessage', {})).toBe('fatal_error');
    await sandbox.control('PATCH', '', { methods: 'core' });
    expect(await called('pins.list', {})).toBe('unknown_method');
    await sandbox.control('PATCH', '', { methods: 'all', rate_limit_multiplier: 0.01 });
    for (let i = 0; i < 4; i++) expect(await called('users.list', {})).toBe('fatal_error');
    expect((await sandbox.control('GET', '/limits')).body.limits).toEqual([]);
    // a document that cannot be parsed matches only *
    expect((await sandbox.graphql('{ nonsense ')).body.errors[0].message).toBeDefined();
    const { faults } = (await sandbox.control('GET', '/faults')).body;
    expect(faults[0].fired).toBe(6);
    // the routes that a test needs to remove the fault are exempt
    for (const path of ['/api/auth/login', '/api/health']) {
      const { status } = await sandbox.send('GET', path, sandbox.person);
      expect([path, status]).not.toEqual([path, 500]);
    }
    expect((await sandbox.control('DELETE', '/faults')).body).toEqual({ success: true });
    expect(await called('users.list', {})).toBeUndefined();
  });

  it('matches by app, kind of caller and arguments', async () => {
    const sandbox = await TestSandbox.make(app);
    const gone = { type: 'error', error: 'fatal_error' };
    const on = { method: 'auth.test' };
    const other = { display_information: { name: 'other-app' } };
    expect((await sandbox.send('POST', '/api/apps', sandbox.person, { manifest: other })).status).toBe(201);
    await fault(sandbox, { ...on, app: 'other-app' }, gone, { times: null });
    await fault(sandbox, { ...on, caller: 'user' }, gone, { times: null });
    await fault(sandbox, { ...on, where: { args: { a: { $exists: true } } } }, gone, { times: null });
    expect((await sandbox.call('auth.test', {})).body.ok).toBe(true);
    expect((await sandbox.call('auth.test', {}, sandbox.person)).body.error).toBe('fatal_error');
    expect((await sandbox.call('auth.test', { a: 'b' })).body.error).toBe('fatal_error');
    await fault(sandbox, { ...on, app: 'default-app', caller: 'bot' }, gone);
    expect((await sandbox.call('auth.test', {})).body.error).toBe('fatal_error');
  });

  it('repeats its random choices with the same random_seed', async () => {
    const runs: boolean[][] = [];
    for (const seed of [3, 3, 4]) {
      const sandbox = await TestSandbox.make(app);
      const often = { times: null, probability: 0.5, random_seed: seed };
      await fault(sandbox, 'api.test', { type: 'error', error: 'unlucky' }, often);
      await fault(sandbox, 'auth.test', { type: 'error', error: 'unlucky' }, often);
      const run: boolean[] = [];
      for (let i = 0; i < 24; i++) run.push((await sandbox.call('auth.test', {})).body.ok as boolean);
      runs.push(run);
    }
    expect(runs[0]).toEqual(runs[1]);
    expect(runs[2]).not.toEqual(runs[0]);
    expect(new Set(runs[0])).toEqual(new Set([true, false]));
  });

  it('makes a tool answer isError, and leaves the tool server itself alone', async () => {
    const sandbox = await TestSandbox.make(app);
    const tools = await ToolClient.http(app, 'chat', sandbox.bot['authorization']?.slice(7));
    const list = tools.tools.find(({ name }) => /list.*channel|channel.*list|conversations/.test(name))?.name as string;
    const fine = await tools.call(list, {});
    expect([list, fine.isError]).toEqual([list, false]);
    await fault(sandbox, 'conversations.list', { type: 'error', error: 'fatal_error' });
    expect(await tools.call(list, {})).toMatchObject({ isError: true });
    expect((await tools.call(list, {})).isError).toBe(false);
  });

  it('hits no list of tools, which stands on no timeline either', async () => {
    const sandbox = await TestSandbox.make(app);
    const drop = await fault(sandbox, '*', { type: 'drop' });
    const tools = await ToolClient.http(app, 'chat', sandbox.bot['authorization']?.slice(7));
    expect(tools.tools.length).toBeGreaterThan(5);
    const { entries } = (await sandbox.control('GET', '/timeline?kind=call')).body;
    expect(entries).toEqual([]);
    expect((await sandbox.control('GET', '/faults')).body.faults).toMatchObject([{ id: drop.body.id, seen: 0 }]);
    const hit = await tools.call('svc_auth_test', {});
    expect(hit).toMatchObject({ isError: true, text: expect.stringMatching(/^api_unreachable: /) });
    expect((await tools.call('svc_auth_test', {})).isError).toBe(false);
  });

  it('holds at most 200 calls; further ones answer 503 with Retry-After', async () => {
    const sandbox = await TestSandbox.make(app);
    await sandbox.control('PATCH', '', { rate_limit_multiplier: 0 });
    await fault(sandbox, 'auth.test', { type: 'delay', ms: 4_000 }, { times: null });
    const calls = Array.from({ length: 205 }, () => sandbox.call('auth.test', {}));
    const answers = await Promise.all(calls);
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThanOrEqual(1);
    expect(refused.length).toBeLessThanOrEqual(5);
    expect(refused[0]?.headers.get('retry-after')).toBe('1');
  });

  it('releases a held call when its caller disconnects', async () => {
    const sandbox = await TestSandbox.make(app);
    for (const held of [
      { type: 'delay', ms: 120_000 },
      { type: 'lose_answer', how: 'timeout' },
    ]) {
      await fault(sandbox, 'auth.test', held);
      const gone = new AbortController();
      const call = fetch(`${app.baseUrl}/api/auth.test`, { method: 'POST', headers: sandbox.bot, signal: gone.signal });
      const cut = expect(call).rejects.toThrow('aborted');
      const fired = async (): Promise<number> =>
        (await sandbox.control('GET', '/faults')).body.faults.at(-1).fired as number;
      await eventually(async () => (await fired()) === 1, 'a held call');
      gone.abort();
      await cut;
      const idle = await sandbox.control('POST', '/wait', { for: 'idle', timeout_ms: 10_000 });
      expect([held.type, idle.body.matched]).toEqual([held.type, true]);
    }
  });
});
