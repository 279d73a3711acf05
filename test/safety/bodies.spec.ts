import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { eventually } from '../support/receiver.js';
import { makeSandbox } from '../support/sandbox-routes.js';
import { answerToUnfinished, UnfinishedRequest } from '../support/unfinished-request.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const MULTIPART = { 'content-type': 'multipart/form-data; boundary=x' };
const YAML = { 'content-type': 'application/yaml' };
const KIB = 1024;

/** docs/reference/limits.md#bodies */
describe('a body', () => {
  const app = useApp();

  it('is not awaited where the header holds no credential or a bad one', async () => {
    const bad = { authorization: 'Bearer xoxb-000000000000-nobody' };
    const cases: [path: string, headers: Record<string, string>, status: number, said: string][] = [
      ['/api/sandboxes', YAML, 401, 'not_authed'],
      ['/api/sandboxes', { ...YAML, 'x-admin-token': 'nobody' }, 401, 'invalid_auth'],
      ['/api/sandboxes/self/seed', { ...YAML, 'x-sandbox-token': 'svc_sbx_nobody' }, 401, 'invalid_auth'],
      ['/api/admin/provision', JSON_TYPE, 401, 'not_authed'],
      ['/api/apps', { ...JSON_TYPE, ...bad }, 401, 'invalid_auth'],
      ['/api/interactions', { ...FORM, ...bad }, 401, 'invalid_auth'],
      ['/api/interactions', { ...MULTIPART }, 401, 'not_authed'],
      ['/api/webhooks/incoming', JSON_TYPE, 401, 'not_authed'],
      ['/api/api-keys', JSON_TYPE, 401, 'not_authed'],
      ['/api/chat.postMessage', { ...JSON_TYPE, ...bad }, 200, 'invalid_auth'],
      ['/api/chat.postMessage', { ...FORM, ...bad }, 200, 'invalid_auth'],
      ['/api/chat.postMessage', { ...MULTIPART, ...bad }, 200, 'invalid_auth'],
      ['/graphql', { ...JSON_TYPE, authorization: 'svc_api_nobody' }, 401, 'AUTHENTICATION_ERROR'],
      ['/nowhere', JSON_TYPE, 404, 'not_found'],
    ];
    for (const [path, headers, status, said] of cases) {
      const answer = await answerToUnfinished(app.baseUrl, { path, headers, start: '{"a', length: 900 * KIB });
      expect([path, answer.status, answer.text]).toEqual([path, status, expect.stringContaining(said)]);
    }
  });

  it('is read at most to 64 KiB where the credential may come with it, or none is needed: 413', async () => {
    for (const [path, headers] of [
      ['/api/chat.postMessage', FORM],
      ['/api/chat.postMessage', MULTIPART],
      ['/api/api.test', JSON_TYPE],
      ['/api/auth/login', JSON_TYPE],
      ['/api/mcp/chat', JSON_TYPE],
    ] as const) {
      const request = { path, headers, start: 'a'.repeat(70 * KIB), length: 900 * KIB };
      expect([path, (await answerToUnfinished(app.baseUrl, request)).status]).toEqual([path, 413]);
    }
  });

  it('is read further where the path is a credential: 404 where it is none', async () => {
    for (const [path, said] of [
      ['/api/webhooks/incoming/B000000000/abcdefghijklmnopqrstuvwx', 'no_service'],
      ['/api/interactions/respond/abcdefghijklmnopqrstuvwxyz123456', 'expired_url'],
      ['/upload/v1/nobody', 'upload_not_found'],
      ['/in/nobody', 'inbox_not_found'],
    ]) {
      const request = { path: path as string, headers: JSON_TYPE, start: 'a'.repeat(70 * KIB), length: 900 * KIB };
      const answer = await answerToUnfinished(app.baseUrl, request);
      expect([path, answer.status, answer.text]).toEqual([path, 404, expect.stringContaining(said as string)]);
    }
    const { ctl } = await makeSandbox(app);
    const made = await fetch(`${app.baseUrl}/api/sandboxes/self/inboxes`, {
      method: 'POST',
      headers: { ...ctl, ...JSON_TYPE },
      body: '{}',
    });
    const { url } = (await made.json()) as { url: string };
    const long = await fetch(`${app.baseUrl}${new URL(url).pathname}`, { method: 'POST', body: 'a'.repeat(200 * KIB) });
    expect(long.status).toBe(200);
  });

  it('is read further where a form begins with a good token', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const text = 'a'.repeat(30 * KIB);
    const rest = { channel: (await ws.channel({ members: [bot] })).id, text, blocks: 'b'.repeat(100 * KIB) };
    const post = async (path: string, form: URLSearchParams | FormData): Promise<unknown> =>
      (await fetch(`${app.baseUrl}${path}`, { method: 'POST', body: form })).json();
    const multipart = new FormData();
    for (const [name, value] of Object.entries({ token: bot.token, ...rest })) multipart.set(name, value);
    const invalid = expect.objectContaining({ error: 'invalid_blocks_format' });
    const method = '/api/chat.postMessage';
    expect(await post(method, new URLSearchParams({ token: bot.token, ...rest }))).toEqual(invalid);
    expect(await post(`${method}?token=${bot.token}`, new URLSearchParams(rest))).toEqual(invalid);
    expect(await post(method, multipart)).toEqual(invalid);
    const late = await post(method, new URLSearchParams({ ...rest, token: bot.token }));
    expect(late).toMatchObject({ statusCode: 413, message: 'payload_too_large' });
  });

  it('is read to its end where the answer is there before, so that who sends all of it first sees it', async () => {
    const bot = await (await app.workspace()).bot();
    const path = '/api/chat.postMessage';
    const known = { ...JSON_TYPE, authorization: `Bearer ${bot.token}` };
    const bad = { ...JSON_TYPE, authorization: 'Bearer xoxb-000000000000-nobody' };
    const large = 'a'.repeat(3 * KIB * KIB);
    const chunk = `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`;
    const chunked = { ...known, 'transfer-encoding': 'chunked' };
    for (const [headers, start, status] of [
      [JSON_TYPE, large, 413],
      [known, large, 413],
      [chunked, chunk, 413],
      [bad, large.slice(0, 2_000 * KIB), 200],
    ] as const) {
      const length = start === chunk ? undefined : start.length;
      const kept = await UnfinishedRequest.send(app.baseUrl, { path, headers, start, length });
      expect((await kept.answer()).status).toBe(status);
      kept.finish('GET /api/health HTTP/1.1\r\nhost: localhost\r\n\r\n');
      await eventually(async () => (await kept.answer()).text.split('HTTP/1.1 ').length === 3, 'the next answer');
      kept.end();
      // as proxies do
      const last = { path, headers: { ...headers, connection: 'close' }, start, length };
      const closed = await UnfinishedRequest.send(app.baseUrl, last);
      expect(await closed.ended()).toBe('in order');
      expect((await closed.answer()).status).toBe(status);
    }
  });

  it('arrives as before where the credential is good', async () => {
    const bot = await (await app.workspace()).bot();
    const request = await UnfinishedRequest.send(app.baseUrl, {
      path: '/api/auth.test',
      headers: { ...FORM, authorization: `Bearer ${bot.token}` },
      start: `a=${'a'.repeat(200 * KIB)}`,
      length: 300 * KIB,
    });
    request.finish('a'.repeat(100 * KIB - 2));
    expect((await request.answer()).text).toContain('"ok":true');
    request.end();
  });
});

/** docs/reference/chat.md#arguments */
describe('a call with more than 1,000 arguments', () => {
  const app = useApp();

  it('is refused, whatever they are written in: invalid_arguments', async () => {
    const bot = await (await app.workspace()).bot();
    const call = async (
      body: string | URLSearchParams | FormData,
      headers: Record<string, string> = {},
    ): Promise<unknown> => {
      const init = { method: 'POST', headers: { authorization: `Bearer ${bot.token}`, ...headers }, body };
      return (await fetch(`${app.baseUrl}/api/users.list`, init)).json();
    };
    const named = (count: number): [string, string][] => Array.from({ length: count }, (_, i) => [`a${i}`, '1']);
    const multipart = (count: number): FormData => {
      const form = new FormData();
      for (const [name, value] of named(count)) form.set(name, value);
      return form;
    };
    const json = (count: number): string => JSON.stringify(Object.fromEntries(named(count)));
    const ok = expect.objectContaining({ ok: true });
    const refused = {
      ok: false,
      error: 'invalid_arguments',
      response_metadata: { messages: ['[ERROR] more than 1000 arguments'] },
    };
    expect(await call(new URLSearchParams(named(1_000)))).toEqual(ok);
    expect(await call(new URLSearchParams(named(1_001)))).toEqual(refused);
    expect(await call(json(1_000), JSON_TYPE)).toEqual(ok);
    expect(await call(json(1_001), JSON_TYPE)).toEqual(refused);
    expect(await call(multipart(1_000))).toEqual(ok);
    expect(await call(multipart(1_001))).toEqual(refused);
    // also within an argument: an object of many names holds the parser for long
    const nested = (count: number): string => JSON.stringify({ include_locale: true, other: JSON.parse(json(count)) });
    expect(await call(nested(19_000), JSON_TYPE)).toEqual(ok);
    expect(await call(nested(21_000), JSON_TYPE)).toEqual(refused);
  });
});
