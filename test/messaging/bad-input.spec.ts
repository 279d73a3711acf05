import { connect } from 'node:net';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../src/messaging/wire/codes.js';
import { TestApp } from '../support/app.js';
import { DEFAULT_BOT_SCOPES } from '../../src/messaging/provisioning/default-scopes.js';
import type { ChatClient } from '../support/chat-client.js';

const contract = JSON.parse(readFileSync(new URL('../contract/fixtures/messaging.json', import.meta.url), 'utf8')) as {
  methods: Record<string, { args: { name: string }[] }>;
};
/** Nested more deeply than a parser should follow. */
const DEEP = `{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;

const METHODS = Object.entries(contract.methods);

describe('bad input on the wire', { timeout: 60_000 }, () => {
  let app: TestApp;
  let bot: ChatClient;
  let channel: { id: string };

  beforeAll(async () => {
    // rate limits would answer before the arguments are read
    app = await TestApp.start({ SVC_RATE_LIMIT_MULTIPLIER: '0' });
    const ws = await app.workspace();
    bot = await ws.bot({ scopes: DEFAULT_BOT_SCOPES });
    channel = await ws.channel({ members: [bot] });
  });
  afterAll(() => app.stop());

  async function send(
    method: string,
    type: string | null,
    body: string | Buffer,
  ): Promise<{ status: number; text: string }> {
    const headers: Record<string, string> = { authorization: `Bearer ${bot.token}` };
    if (type !== null) headers['content-type'] = type;
    const init = { method: 'POST', headers, body: typeof body === 'string' ? Buffer.from(body) : body };
    const response = await fetch(`${app.baseUrl}/api/${method}`, init);
    return { status: response.status, text: await response.text() };
  }

  /** Expects an error code of the catalogue: no internal error and no stack trace. */
  function expectCode({ status, text }: { status: number; text: string }, what: string): string {
    expect(status, what).toBe(200);
    const body = JSON.parse(text) as { ok: boolean; error?: string };
    if (!body.ok) expect(Object.keys(ERROR_CODES), what).toContain(body.error);
    expect(body.error, what).not.toBe('internal_error');
    expect(text, what).not.toMatch(/\bat .+:\d+:\d+/);
    return body.error ?? 'ok';
  }

  it.each([
    ['application/json', '{"channel":', 'invalid_json'],
    ['application/json', '{"channel":"C1",}', 'invalid_json'],
    ['application/json', '\u0000', 'invalid_json'],
    ['application/json', '[]', 'json_not_object'],
    ['application/json', '"text"', 'json_not_object'],
    ['application/json', 'null', 'json_not_object'],
    ['application/json; charset=utf-16', '{}', 'invalid_charset'],
    ['application/xml', '<a/>', 'invalid_post_type'],
    ['multipart/form-data', 'no boundary', 'invalid_form_data'],
    ['multipart/form-data; boundary=x', '--y\r\nbroken', 'invalid_form_data'],
    [null, '{"a":1}', 'missing_post_type'],
    ['application/json', '{"a b":1}', 'invalid_arg_name'],
    ['application/json', `{"${'a'.repeat(129)}":1}`, 'invalid_arg_name'],
    ['application/json', '{"__proto__":{"ok":true},"constructor":{"x":1}}', 'ok'],
    ['application/json', DEEP, 'invalid_json'],
    ['application/x-www-form-urlencoded', '%ff%fe=%00&__proto__=1&a=%', undefined],
  ])('auth.test answers a body of %s with its code (%#)', async (type, body, code) => {
    const answered = expectCode(await send('auth.test', type, body), `${type} ${body.slice(0, 40)}`);
    if (code !== undefined) expect(answered).toBe(code);
  });

  it('answers 413 to a body of 2 MiB plus a byte, and accepts one of 2 MiB', async () => {
    const filled = (length: number): string => `{"text":"${'x'.repeat(length - 11)}"}`;
    const most = await send('auth.test', 'application/json', filled(2 * 1024 * 1024));
    expect(expectCode(most, '2 MiB')).toBe('ok');
    const over = await send('auth.test', 'application/json', filled(2 * 1024 * 1024 + 1));
    expect(over.status).toBe(413);
    expect(JSON.parse(over.text)).toEqual({
      statusCode: 413,
      message: 'payload_too_large',
      error: 'Payload Too Large',
    });
  });

  it.each(METHODS)('%s answers a documented code for malformed arguments', async (method, { args }) => {
    const own = await (await app.workspace()).bot();
    const names = [...args.map((argument) => argument.name), 'channel', 'user'];
    const odd = [
      'null', '""', '"\\u0000"', '"a\\u0000b"', '"\\ud800"', '"\\udc00\\ud800"', '-1', '1e999', '1e21', '0.5', 'true', '[]', '{}', '[[]]', '[null]',
      '{"__proto__":{"a":1}}', '"__proto__"', '"constructor"', '{"toString":1,"valueOf":2,"hasOwnProperty":3}', '"\'; DROP TABLE messages; --"',
      `"${'x'.repeat(100_000)}"`, '"[{\\"type\\":\\"section\\"}]"', '"99999999999999999999.999999"', '"C0AAAAAAAAA"', JSON.stringify(channel.id),
    ]; // prettier-ignore
    for (const value of odd) {
      const body = `{${names.map((name) => `"${name}":${value}`).join(',')}}`;
      const response = await fetch(`${app.baseUrl}/api/${method}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${own.token}`, 'content-type': 'application/json' },
        body,
      });
      expectCode({ status: response.status, text: await response.text() }, `${method} ${value.slice(0, 60)}`);
    }
  });

  it.each(METHODS)(
    '%s answers a documented code for one malformed argument beside a valid channel',
    async (method, { args }) => {
      const ws = await app.workspace();
      const own = await ws.bot();
      const place = await ws.channel({ members: [own] });
      for (const { name } of args.filter((argument) => argument.name !== 'channel')) {
        for (const value of ['\u0000', '\ud800', [], {}, -1, { __proto__: null, a: '\u0000' }]) {
          const sent = {
            channel: place.id,
            text: 'x',
            ts: '1767225600.000100',
            timestamp: '1767225600.000100',
            [name]: value,
          };
          const response = await fetch(`${app.baseUrl}/api/${method}`, {
            method: 'POST',
            headers: { authorization: `Bearer ${own.token}`, 'content-type': 'application/json' },
            body: JSON.stringify(sent),
          });
          expectCode(
            { status: response.status, text: await response.text() },
            `${method} ${name} ${JSON.stringify(value)}`,
          );
        }
      }
    },
  );

  it('answers or closes a connection that does not speak HTTP, and keeps serving', async () => {
    const { port } = new URL(app.baseUrl);
    for (const bytes of [
      '\u0000\u0001\u0002\r\n\r\n',
      'POST /api/auth.test HTTP/1.1\r\nContent-Length: -5\r\n\r\n',
      'GET /api/%ZZ HTTP/1.1\r\nHost: x\r\n\r\n',
    ]) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.end(bytes);
      const answer = (await socket.setEncoding('latin1').toArray()).join('');
      expect(answer).not.toMatch(/ 5\d\d /);
      expect(answer).not.toMatch(/\bat .+:\d+:\d+/);
    }
    expect(await bot.call('auth.test')).toMatchObject({ ok: true });
  });
});
