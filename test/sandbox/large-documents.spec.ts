import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { bearer, makeSandbox, OPERATOR, send, type Answer } from '../support/sandbox-routes.js';

const MIB = 1024 * 1024;
const button = { type: 'button', action_id: 'go', text: { type: 'plain_text', text: 'Go' } };

/** Messages that take long to validate. */
const messages = (count: number, text: string): object[] =>
  Array.from({ length: count }, (_, i) => ({
    as: 'admin',
    text: `${i} ${text}`,
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: `${i} ${text}` } },
      { type: 'actions', elements: [button] },
    ],
  }));

// docs/reference/sandboxes.md#seeds
describe('A document over 1 MiB', () => {
  const app = useApp();

  const post = async (path: string, headers: Record<string, string>, bytes: Buffer): Promise<Answer> => {
    const response = await fetch(`${app.baseUrl}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: new Uint8Array(bytes),
    });
    return { status: response.status, body: await response.json() };
  };

  it('is parsed and validated while other calls are answered', async () => {
    const other = await makeSandbox(app, { rate_limit_multiplier: 0 });
    const bot = bearer(other.body.credentials.bot_token);
    const wrong = { as: 'nobody', text: 'x', at: 'soon' };
    const bytes = Buffer.from(
      JSON.stringify({ channels: [{ name: 'ops', messages: [...messages(6_000, 'x'.repeat(300)), wrong] }] }),
    );
    expect(bytes.length).toBeGreaterThan(4 * MIB);
    let answer: Answer | undefined;
    const began = performance.now();
    const refused = post('/api/sandboxes', OPERATOR, bytes).then((got) => (answer = got));
    const times: number[] = [];
    while (!answer) {
      const asked = performance.now();
      expect((await send(app, 'POST', '/api/auth.test', bot)).body.ok).toBe(true);
      times.push(performance.now() - asked);
    }
    const total = performance.now() - began;
    await refused;
    expect(answer).toMatchObject({ status: 400 });
    expect(answer.body.message).toEqual([
      expect.stringMatching(/^channels\[0\]\.messages\[6000\]\.at: must be seconds relative to now/),
      'channels[0].messages[6000].as: no user or app has the name "nobody"',
    ]);
    // if it blocked the event loop, one of these calls would take as long as the whole document
    expect(times.length).toBeGreaterThan(5);
    expect(Math.max(...times)).toBeLessThan(total / 2);
  });

  it('is seeded completely, into a new and an existing sandbox, by every permitted caller', async () => {
    const document = {
      users: 3,
      channels: [{ name: 'ops', members: ['user-2'], messages: messages(2_500, 'long '.repeat(60)) }],
    };
    const bytes = Buffer.from(JSON.stringify({ ...document, name: 'large', ttl_seconds: 60, nonsense: true }));
    expect(bytes.length).toBeGreaterThan(MIB);
    const made = await post('/api/sandboxes', OPERATOR, bytes);
    expect(made.status, JSON.stringify(made.body).slice(0, 300)).toBe(201);
    expect(made.body).toMatchObject({
      name: 'large',
      counts: { users: 4, messages: 2_500 },
      warnings: ['nonsense: no such field'],
    });
    const { credentials } = made.body;
    const newest = async (): Promise<string[]> => {
      const args = { channel: credentials.channels.ops, limit: 2 };
      const answer = await send(app, 'POST', '/api/conversations.history', bearer(credentials.user_token), args);
      return answer.body.messages.map(({ text }: { text: string }) => text.slice(0, 10));
    };
    expect(await newest()).toEqual(['2499 long ', '2498 long ']);
    const ctl = { 'x-sandbox-token': String(credentials.control_token) };
    const acting = await send(app, 'POST', '/api/sandboxes/self/act-as', ctl, { user: 'admin' });
    const person = bearer(acting.body.access_token);
    const again = await post('/api/sandboxes/self/seed', person, Buffer.from(JSON.stringify(document)));
    expect(again.status, JSON.stringify(again.body).slice(0, 300)).toBe(200);
    expect((await send(app, 'GET', '/api/sandboxes/self', ctl)).body.counts).toMatchObject({
      users: 4,
      messages: 5_000,
    });
  });

  it('is refused for the same faults as a small one', async () => {
    const made = await makeSandbox(app);
    const long = 'x'.repeat(MIB);
    const whole = (document: object): Buffer => Buffer.from(JSON.stringify({ ...document, nonsense: long }));
    expect(await post('/api/sandboxes', OPERATOR, Buffer.from(`{"name":"${long}`))).toMatchObject({
      status: 400,
      body: { message: 'invalid_json' },
    });
    expect((await post('/api/sandboxes', OPERATOR, Buffer.from(`["${long}"]`))).body.message).toBe('invalid_json');
    expect((await post('/api/sandboxes?strict=true', OPERATOR, whole({}))).body.message).toEqual([
      'nonsense: no such field',
    ]);
    expect((await post('/api/sandboxes', made.ctl, whole({}))).body.message).toBe('not_admin');
    expect((await post('/api/sandboxes', {}, whole({}))).status).toBe(401);
    expect((await post('/api/sandboxes/self/seed', made.ctl, whole({ name: 'x' }))).body.message).toEqual([
      'name: only a new sandbox takes it',
    ]);
    const yaml = await send(app, 'POST', '/api/sandboxes', OPERATOR, `name: ${long}\nusers: &a []\n`);
    expect(yaml).toMatchObject({ status: 400, body: { message: ['line 2: anchors are not taken'] } });
    const all = await send(app, 'POST', '/api/sandboxes', OPERATOR, `name: yaml\nusers: 2\n# ${long}\n`);
    expect(all.body).toMatchObject({ name: 'yaml', counts: { users: 3 } });
  });
});
