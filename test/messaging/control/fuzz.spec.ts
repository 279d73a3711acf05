import { describe, expect, it } from 'vitest';
import { useApp } from '../../support/app.js';
import { rest } from '../../support/rest-client.js';

/** A random generator with a fixed seed. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

const ROUTES: Record<string, string[]> = {
  'POST /auth/signup': ['email', 'password', 'name', 'team_id'],
  'POST /auth/login': ['email', 'password', 'team_id'],
  'POST /auth/refresh': ['refreshToken'],
  'POST /workspaces': ['name', 'domain', 'team_id'],
  'PUT /workspaces/:team': ['name', 'domain', 'icon'],
  'POST /workspaces/:team/join': ['x'],
  'POST /webhooks/incoming': ['channel', 'name', 'icon_emoji', 'icon_url', 'app_id'],
  'POST /webhooks/incoming/:hook': ['text', 'blocks', 'attachments', 'thread_ts', 'metadata', 'reply_broadcast'],
  'POST /webhooks/outgoing': ['url', 'request_url', 'events', 'event_types', 'channel', 'name', 'secret'],
  'POST /events/subscribe': ['request_url', 'url', 'events', 'bot_events', 'app_id'],
  'POST /commands': ['command', 'url', 'description', 'usage_hint', 'app_id'],
  'POST /commands/execute': ['command', 'text', 'channel_id', 'channel'],
  'POST /interactions': ['type', 'channel', 'message_ts', 'message', 'container', 'actions', 'state', 'payload'],
  'POST /interactions/respond/nothing': ['text', 'blocks', 'response_type', 'replace_original'],
  'POST /apps': ['manifest'],
};

describe('bodies of the control plane', () => {
  const app = useApp();

  it('never cause a 5xx, whatever they contain', async () => {
    const ws = await app.workspace();
    const person = await ws.jwtClient({ user: ws.admin });
    const { body: hook } = await rest(app, 'POST /webhooks/incoming', {
      token: person.token,
      body: { channel: 'general' },
    });
    const roll = dice(20_260);
    const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: [deep(levels - 1)] });
    const values: (() => unknown)[] = [
      () => null,
      () => true,
      () => -1,
      () => 1e308,
      () => '',
      () => ' ',
      () => 'x'.repeat(5000),
      () => '\u0000\ud800',
      () => '💥'.repeat(60),
      () => [],
      () => [null, {}, 'message'],
      () => ({}),
      () => ({ __proto__: null, constructor: { prototype: 1 }, toString: 1 }),
      () => deep(80),
      () => deep(3000),
      () => 'http://127.0.0.1:1/',
      () => '#general',
      () => ws.general.id,
      () => 'a@b.example',
      () => ({
        display_information: { name: roll(2) ? 'x' : roll(9) },
        features: { slash_commands: [roll(2) ? null : {}] },
      }),
      () => [{ action_id: 'x', block_id: {} }],
      () => `'; DROP TABLE messages; --`,
    ];
    const raw = ['{', '[]', 'null', '"x"', '{"a":', '\u0000', 'a=b&payload=%', '{"__proto__":{"x":1}}'];
    for (const [route, fields] of Object.entries(ROUTES)) {
      const path = route
        .replace(':team', ws.id)
        .replace(':hook', (hook.url as string).split('/incoming/')[1] as string);
      const bodies: string[] = [...raw];
      for (let i = 0; i < 25; i++) {
        const body: Record<string, unknown> = {};
        for (const field of fields) if (roll(3) > 0) body[field] = values[roll(values.length)]?.();
        bodies.push(JSON.stringify(body));
      }
      const answers = await Promise.all(
        bodies.map((body, i) =>
          rest(app, path, {
            token: person.token,
            body,
            headers: { 'content-type': i % 7 === 6 ? 'application/x-www-form-urlencoded' : 'application/json' },
          }).then((answer) => ({ body, status: answer.status, text: answer.text })),
        ),
      );
      const bad = answers.filter((answer) => answer.status >= 500 && answer.status !== 502);
      expect(bad, route).toEqual([]);
      // the server still answers
      expect((await rest(app, 'GET /auth/me', { token: person.token })).status).toBe(200);
    }
  }, 60_000);
});
