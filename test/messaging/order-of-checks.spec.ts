import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { checkPayload } from '../support/payload-checks.js';

describe('a method call', () => {
  const app = useApp();
  const refused = (error: string) => ({ ok: false, error });

  interface Sent {
    method?: string;
    body?: string | Uint8Array | FormData;
    type?: string;
    token?: string;
    query?: string;
    headers?: Record<string, string>;
  }

  /** Sends exactly these bytes and headers, unlike a client library. */
  async function send(name: string, { method = 'POST', body, type, token, query = '', headers = {} }: Sent = {}) {
    const response = await fetch(`${app.baseUrl}/api/${name}${query}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(type === undefined ? {} : { 'content-type': type }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: body as string }),
    });
    const text = await response.text();
    const json = text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>);
    if (json) checkPayload(name, json, text);
    return { status: response.status, headers: response.headers, body: json };
  }
  const answer = async (name: string, sent: Sent = {}) => (await send(name, sent)).body;

  describe('docs/reference/chat.md#order-of-checks', () => {
    it('1: the method exists, before the token is checked', async () => {
      for (const name of ['files.upload', 'Chat.postMessage', 'chat.postmessage', 'chat.post.message', 'a.b']) {
        expect(await answer(name)).toEqual({ ok: false, error: 'unknown_method', req_method: name });
        expect(await answer(name, { method: 'GET', token: 'xoxb-nobody' })).toMatchObject(refused('unknown_method'));
        expect(await answer(name, { body: '{', type: 'application/json' })).toMatchObject(refused('unknown_method'));
      }
    });

    it('2: the token: not_authed, invalid_auth, token_revoked, token_expired, account_inactive, team_access_not_granted', async () => {
      const ws = await app.workspace();
      const other = await app.workspace();
      expect(await answer('users.setPresence')).toEqual(refused('not_authed'));
      expect(await answer('users.setPresence', { body: '{', type: 'application/json' })).toEqual(refused('not_authed'));
      expect(await answer('users.setPresence', { headers: { authorization: 'Basic eDp5' } })).toEqual(
        refused('not_authed'),
      );
      for (const token of ['x', 'xoxb-123456789012-abcdefghijklmnopqrstuvwx', 'a.b.c', 'xoxe-1']) {
        expect(await answer('users.setPresence', { token })).toEqual(refused('invalid_auth'));
      }
      const bot = await ws.bot({ scopes: [] });
      await ws.revoke(bot);
      expect(await answer('users.setPresence', { token: bot.token })).toEqual(refused('token_revoked'));

      const jwt = await ws.jwtClient();
      expect(await answer('users.setPresence', { token: jwt.token, query: `?team_id=${other.id}` })).toEqual(
        refused('team_access_not_granted'),
      );
      expect(await answer('auth.test', { token: jwt.token, query: `?team_id=${ws.id}` })).toMatchObject({ ok: true });
      app.clock.advance(3_601_000);
      expect(await answer('users.setPresence', { token: jwt.token })).toEqual(refused('token_expired'));
      app.clock.reset();
      expect(await answer('users.setPresence', { token: `${jwt.token.slice(0, -2)}xx` })).toEqual(
        refused('invalid_auth'),
      );
      await ws.endSessions(jwt);
      expect(await answer('users.setPresence', { token: jwt.token })).toEqual(refused('token_revoked'));
      // an app token is bound to its workspace and ignores team_id
      const able = await ws.bot();
      expect(await answer('auth.test', { token: able.token, query: `?team_id=${other.id}` })).toMatchObject({
        ok: true,
        team_id: ws.id,
      });
    });

    it('3, 5, 6: the scope, before the rate limit, before body and arguments', async () => {
      const ws = await app.workspace();
      const mute = await ws.bot({ scopes: ['users:read'] });
      const scope = await send('users.setPresence', { token: mute.token, body: '{', type: 'application/json' });
      expect(scope.status).toBe(403);
      expect(scope.body).toEqual({ ...refused('missing_scope'), needed: 'users:write', provided: 'users:read' });

      const bot = await ws.bot();
      const broken = { token: bot.token, body: '{', type: 'application/json' };
      for (let i = 0; i < 20; i++) expect(await answer('users.setPresence', broken)).toEqual(refused('invalid_json'));
      const limited = await send('users.setPresence', broken);
      expect([limited.status, limited.body]).toEqual([429, refused('ratelimited')]);
      expect(await answer('users.setPresence', { token: mute.token })).toMatchObject(refused('missing_scope'));
    });

    it('6, 7, 8, 9: arguments, visibility, the scope for the type, then state', async () => {
      const ws = await app.workspace();
      const reader = await ws.bot({ scopes: ['groups:history'] });
      const open = await ws.channel();
      const hidden = await ws.channel({ isPrivate: true });
      const own = await ws.channel({ isPrivate: true, members: [reader] });
      const history = (channel: string, more: object = {}) =>
        reader.wire('conversations.history', { channel, ...more });

      expect((await history(hidden.id, { limit: -1 })).body).toEqual(refused('invalid_limit'));
      expect((await history(hidden.id)).body).toEqual(refused('channel_not_found'));
      const typed = await history(open.id);
      expect([typed.status, typed.body]).toEqual([
        403,
        { ...refused('missing_scope'), needed: 'channels:history', provided: 'groups:history' },
      ]);
      expect((await history(own.id)).body).toMatchObject({ ok: true });
      const publicReader = await ws.bot({ scopes: ['channels:history'] });
      expect((await publicReader.wire('conversations.history', { channel: open.id })).body).toEqual(
        refused('not_in_channel'),
      );
    });
  });

  describe('reads its arguments', () => {
    const args = { presence: 'away' };

    it('from JSON, with any charset parameter or none, and with an empty body as {}', async () => {
      const { token } = await (await app.workspace()).bot();
      const body = JSON.stringify(args);
      for (const type of [
        'application/json',
        'application/json; charset=utf-8',
        'application/json;charset="UTF-8"',
        'APPLICATION/JSON',
      ]) {
        expect(await answer('users.setPresence', { token, type, body })).toEqual({ ok: true });
      }
      // without a body, fetch says by itself that its length is 0
      expect(await answer('auth.test', { token, type: 'application/json;charset=utf-8' })).toMatchObject({ ok: true });
      expect(await answer('auth.test', { token, type: 'application/json', body: '  ' })).toMatchObject({ ok: true });
    });

    it('from a form, multipart, text/plain and the query string', async () => {
      const { token } = await (await app.workspace()).bot();
      const form = new FormData();
      form.set('presence', 'away');
      form.set('file', new Blob(['x']), 'x.txt');
      const ways: Sent[] = [
        { type: 'application/x-www-form-urlencoded', body: 'presence=away' },
        { type: 'application/x-www-form-urlencoded; charset=utf-8', body: 'presence=auto&presence=away' },
        { body: form },
        { type: 'text/plain', body: '{"presence":"away"}' },
        { type: 'text/plain;charset=UTF-8', body: 'presence=away' },
        { query: '?presence=away' },
        { method: 'GET', query: '?presence=away' },
        { type: 'application/json', body: '{"presence":"away"}', query: '?presence=nonsense' },
      ];
      for (const way of ways)
        expect(await answer('users.setPresence', { token, ...way }), JSON.stringify(way)).toEqual({ ok: true });
    });

    it('with nested values as JSON strings, as the official clients send them', async () => {
      const ws = await app.workspace();
      const bot = await ws.bot();
      const form = new URLSearchParams({
        channel: ws.general.id,
        blocks: '[{"type":"divider","block_id":"b"}]',
        reply_broadcast: '0',
      });
      const { message } = (await answer('chat.postMessage', {
        token: bot.token,
        type: 'application/x-www-form-urlencoded',
        body: form.toString(),
      })) as { message: unknown };
      expect(message).toMatchObject({ text: '', blocks: [{ type: 'divider', block_id: 'b' }] });
    });

    it('with the token from header, form or query, in this order, but not from a JSON body', async () => {
      const ws = await app.workspace();
      const { token } = await ws.bot();
      const form = 'application/x-www-form-urlencoded';
      expect(await answer('auth.test', { type: form, body: `token=${token}` })).toMatchObject({ ok: true });
      expect(await answer('auth.test', { query: `?token=${token}` })).toMatchObject({ ok: true });
      expect(await answer('auth.test', { headers: { authorization: `bEARER ${token}` } })).toMatchObject({ ok: true });
      expect(await answer('auth.test', { type: 'application/json', body: JSON.stringify({ token }) })).toEqual(
        refused('not_authed'),
      );
      expect(await answer('auth.test', { type: 'text/plain', body: `token=${token}` })).toEqual(refused('not_authed'));
      expect(await answer('auth.test', { type: form, body: 'token=xoxb-x', query: `?token=${token}` })).toEqual(
        refused('invalid_auth'),
      );
      expect(await answer('auth.test', { token, type: form, body: 'token=xoxb-x' })).toMatchObject({ ok: true });
    });

    it.each<[string, Sent]>([
      ['invalid_json', { type: 'application/json', body: '{' }],
      ['json_not_object', { type: 'application/json', body: '[]' }],
      ['json_not_object', { type: 'application/json', body: 'null' }],
      ['invalid_form_data', { type: 'application/x-www-form-urlencoded', body: 'a=%zz' }],
      ['invalid_form_data', { type: 'multipart/form-data; boundary=x', body: 'nothing' }],
      ['invalid_form_data', { type: 'multipart/form-data', body: 'nothing' }],
      ['invalid_post_type', { type: 'application/xml', body: '<a/>' }],
      ['invalid_charset', { type: 'application/json; charset=utf-16', body: '{}' }],
      ['invalid_arg_name', { type: 'application/json', body: '{"a-b":1}' }],
      ['missing_post_type', { body: new TextEncoder().encode('a=b') }],
    ])('and answers %s for an unreadable request: %j', async (error, sent) => {
      const { token } = await (await app.workspace()).bot();
      expect(await answer('auth.test', { token, ...sent })).toEqual(refused(error));
    });

    it('up to 2 MiB; a larger body is answered with 413 and a REST body', async () => {
      const { token } = await (await app.workspace()).bot();
      const fitting = JSON.stringify({ pad: 'x'.repeat(2 * 1024 * 1024 - 20) });
      expect(await answer('auth.test', { token, type: 'application/json', body: fitting })).toMatchObject({ ok: true });
      const { status, body } = await send('auth.test', {
        token,
        type: 'application/json',
        body: `${fitting}${' '.repeat(100)}`,
      });
      expect([status, body]).toEqual([
        413,
        { statusCode: 413, message: 'payload_too_large', error: 'Payload Too Large' },
      ]);
    });
  });

  it('accepts POST and GET; other verbs are answered with 404', async () => {
    const { token } = await (await app.workspace()).bot();
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const { status, body } = await send('auth.test', { token, method });
      expect([status, body]).toEqual([404, { statusCode: 404, message: expect.any(String), error: 'Not Found' }]);
      expect((await send('files.upload', { token, method })).status).toBe(404);
    }
  });

  describe('answers', () => {
    it('with the documented headers, and a request id of its own', async () => {
      const ws = await app.workspace();
      const bot = await ws.bot({ scopes: ['users:read', 'made:up', 'users:read.email'] });
      const first = await send('users.list', { token: bot.token });
      const second = await send('users.list', { token: bot.token });
      expect(first.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(first.headers.get('cache-control')).toBe('private, no-cache, no-store, must-revalidate');
      expect(first.headers.get('x-oauth-scopes')).toBe('users:read,made:up,users:read.email');
      expect(first.headers.get('x-accepted-oauth-scopes')).toBe('users:read');
      expect(first.headers.get('x-slack-req-id')).toMatch(/^[0-9a-f]{24}$/);
      expect(first.headers.get('x-slack-req-id')).not.toBe(second.headers.get('x-slack-req-id'));
      expect(first.headers.get('retry-after')).toBeNull();
      expect(first.headers.get('etag')).toBeNull();

      const typed = await send('conversations.history', { token: bot.token });
      expect(typed.status).toBe(403);
      expect(typed.headers.get('x-accepted-oauth-scopes')).toBe(
        'channels:history,groups:history,im:history,mpim:history',
      );
      expect(typed.headers.get('x-oauth-scopes')).toBe('users:read,made:up,users:read.email');
      const jwt = await ws.jwtClient();
      expect((await send('users.list', { token: jwt.token })).headers.get('x-oauth-scopes')).toBeNull();
      const nobody = await send('users.list');
      expect(nobody.status).toBe(200);
      expect(nobody.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(nobody.headers.get('x-slack-req-id')).toMatch(/^[0-9a-f]{24}$/);
    });

    it('with all faults of one kind in response_metadata.messages', async () => {
      const { token } = await (await app.workspace()).bot();
      expect(await answer('chat.delete', { token })).toEqual({
        ...refused('invalid_arguments'),
        response_metadata: {
          messages: ['[ERROR] missing required field: channel', '[ERROR] missing required field: ts'],
        },
      });
      expect(
        await answer('chat.delete', { token, type: 'application/json', body: '{"channel":["C"],"ts":"1"}' }),
      ).toMatchObject(refused('invalid_array_arg'));
    });
  });
});
