import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { eventually } from '../support/receiver.js';
import { bearer, makeSandbox, send } from '../support/sandbox-routes.js';

// specs read nested fields freely
// oxlint-disable-next-line no-explicit-any
type Any = any;

const DOCUMENT = {
  id_space: 'own',
  users: [{ name: 'alice', is_admin: true }],
  channels: [{ name: 'ops', members: ['alice', 'default-app'] }],
};

/** docs/reference/sandboxes.md#faults */
describe('faults of sandboxes with ids of their own', () => {
  const app = useApp();

  const make = async (more: object = {}) => {
    const { body, ctl } = await makeSandbox(app, { ...DOCUMENT, ...more });
    const { credentials: its } = body;
    return {
      its,
      channel: its.channels.ops as string,
      control: (method: string, path: string, sent?: object) =>
        send(app, method, `/api/sandboxes/self${path}`, ctl, sent),
      call: async (method: string, args: object = {}): Promise<Any> =>
        (await send(app, 'POST', `/api/${method}`, bearer(its.bot_token), args)).body,
      graphql: async (query: string): Promise<Any> =>
        (await send(app, 'POST', '/graphql', { authorization: its.api_key }, { query })).body.data,
    };
  };

  it('shows the ids of the caller in answers that trickle or come by half, and in the headers of a test', async () => {
    const { its, channel, control, call } = await make();
    const whole = await call('auth.test');
    await control('POST', '/faults', { on: { method: 'auth.test' }, fault: { type: 'slow', bytes_per_second: 1e6 } });
    expect(await call('auth.test')).toEqual(whole);

    await control('POST', '/faults', { on: { method: 'auth.test' }, fault: { type: 'truncate' } });
    const half = await fetch(`${app.baseUrl}/api/auth.test`, { method: 'POST', headers: bearer(its.bot_token) });
    const reader = half.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    const text = Buffer.from(value ?? []).toString();
    expect(JSON.stringify(whole).startsWith(text)).toBe(true);
    expect(text).toContain(whole.team_id);
    await expect(reader?.read()).rejects.toThrow();

    const page = { type: 'http', status: 503, body: `in ${channel}`, headers: { 'X-Channel': channel } };
    await control('POST', '/faults', { on: { method: 'auth.test' }, fault: page });
    const answer = await fetch(`${app.baseUrl}/api/auth.test`, { method: 'POST', headers: bearer(its.bot_token) });
    expect([answer.headers.get('x-channel'), await answer.text()]).toEqual([channel, `in ${channel}`]);
  });

  it('duplicates calls that name things in a body', async () => {
    const { its, control, graphql } = await make();
    await control('POST', '/faults', { on: { method: 'issueCreate' }, fault: { type: 'duplicate' } });
    await graphql(`mutation { issueCreate(input: { title: "twice", teamId: "${its.teams.ENG.id}" }) { success } }`);
    expect((await graphql('{ issues { nodes { title } } }')).issues.nodes).toEqual([
      { title: 'twice' },
      { title: 'twice' },
    ]);
    await control('POST', '/faults', { on: { method: 'POST /api/webhooks/incoming' }, fault: { type: 'duplicate' } });
    const hook = { app_id: its.app_id, channel: its.channels.ops };
    const made = await send(app, 'POST', '/api/webhooks/incoming', bearer(its.user_token), hook);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const { body } = await send(app, 'GET', '/api/webhooks/incoming', bearer(its.user_token));
    expect(body.webhooks).toHaveLength(2);
  });

  it('let the clock and the next call go on while an answer is withheld', async () => {
    const { its, channel, control, call } = await make({
      deterministic: true,
      clock: { now: '2026-01-01T09:00:00Z', frozen: true, tick_ms: 1_000 },
    });
    const now = async (): Promise<string> => (await control('GET', '/clock')).body.now;
    const post = (text: string, signal?: AbortSignal): Promise<Any> =>
      fetch(`${app.baseUrl}/api/chat.postMessage`, {
        method: 'POST',
        headers: { ...bearer(its.bot_token), 'content-type': 'application/json' },
        body: JSON.stringify({ channel, text }),
        ...(signal && { signal }),
      }).then((response) => response.text());
    const fault = (what: object): Promise<Any> =>
      control('POST', '/faults', { on: { method: 'chat.postMessage' }, fault: what });
    await fault({ type: 'lose_answer' });
    await expect(post('lost')).rejects.toThrow();
    expect(await now()).toBe('2026-01-01T09:00:01.000Z');
    await fault({ type: 'truncate' });
    await expect(post('cut')).rejects.toThrow();
    await fault({ type: 'slow', bytes_per_second: 1e6 });
    await post('slow');
    expect(await now()).toBe('2026-01-01T09:00:03.000Z');

    await fault({ type: 'lose_answer', how: 'timeout' });
    const hangingUp = new AbortController();
    const silent = post('silent', hangingUp.signal).catch((error: Error) => error.name);
    await eventually(async () => (await control('GET', '/faults')).body.faults.at(-1).fired === 1, 'the silence');
    const began = performance.now();
    const { messages } = await call('conversations.history', { channel });
    // a turn that does not end is waited for 20 s
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(messages.map(({ text }: Any) => text)).toEqual(['silent', 'slow', 'cut', 'lost']);
    hangingUp.abort();
    expect(await silent).toBe('AbortError');
  });
});
