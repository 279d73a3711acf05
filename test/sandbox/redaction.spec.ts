import { describe, expect, it } from 'vitest';
import { keepAnswer, MAX_BODY } from '../../src/sandbox/timeline/entry.js';
import { useApp } from '../support/app.js';
import { bearer, makeSandbox, send } from '../support/sandbox-routes.js';
import { mayHoldSecrets, redact, REDACTED, redactHeaders, redactText } from '../../src/sandbox/timeline/redaction.js';

const letters = 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hJ3lM6oP9r';

describe('redaction on the timeline', () => {
  it.each([
    ['bot token', `xoxb-123456789-${letters}`],
    ['user token', `xoxp-123456789-${letters}`],
    ['app token', `xapp-1-A0123456789-123-${letters}`],
    ['step token', `xwfp-123456789012-${letters.slice(0, 24)}`],
    ['control token', `svc_sbx_${letters}`],
    ['API key', `svc_api_${letters}`],
    ['JWT', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJVMDEifQ.${letters}`],
  ])('replaces a %s anywhere in a text', (_, secret) => {
    expect(redactText(`with ${secret} inside`)).toBe(`with ${REDACTED} inside`);
    expect(redact({ text: secret, list: [secret] })).toEqual({ text: REDACTED, list: [REDACTED] });
    expect(mayHoldSecrets(JSON.stringify({ text: secret }))).toBe(true);
  });

  it('replaces secret parts of URLs', () => {
    expect(redactText(`http://h/api/webhooks/incoming/B0123456789/${letters}`)).toBe(
      `http://h/api/webhooks/incoming/B0123456789/${REDACTED}`,
    );
    expect(redactText(`http://h/in/${letters.slice(0, 32)}`)).toBe(`http://h/in/${REDACTED}`);
    expect(redactText('ws://h/link/?ticket=abcdef&app_id=A1')).toBe(`ws://h/link/?ticket=${REDACTED}&app_id=A1`);
  });

  it('replaces secrets that are written into a GraphQL document', () => {
    const written = (secret: string): string =>
      `mutation { webhookCreate(input: { url: "http://h/x", secret: ${secret}, label: "kept" }) { success } }`;
    for (const secret of ['"in \\"quotes\\""', '"""in a "block" """', `"${letters}"`])
      expect(redact({ query: written(secret) })).toEqual({ query: written(`"${REDACTED}"`) });
    expect(redactText('query { issues(after: "secret") }')).toBe('query { issues(after: "secret") }');
  });

  it('replaces passwords and keys in URLs of apps', () => {
    expect(redact({ request_url: 'https://me:pass-word@app.test/slack' })).toEqual({
      request_url: `https://me:${REDACTED}@app.test/slack`,
    });
    for (const name of 'key api_key api-key apiKey token access_token secret sig code_secret password'.split(' ')) {
      const url = (value: string): string => `https://app.test/hook?a=1&${name}=${value}&page=2#top`;
      expect(mayHoldSecrets(url('plain')), name).toBe(true);
      expect(redactText(`see <${url('plain')}>`), name).toBe(`see <${url(REDACTED)}>`);
    }
    const kept = 'http://h/app?url_key=acme&cursor=abc&limit=2';
    expect(redactText(kept)).toBe(kept);
  });

  it('replaces fields whose name marks a secret', () => {
    const secrets = [
      'password',
      'secret',
      'signing_secret',
      'token',
      'bot_token',
      'refresh_token',
      'verification_token',
    ];
    for (const field of secrets) expect(redact({ [field]: 'plain' })).toEqual({ [field]: REDACTED });
  });

  it('keeps values that expire by themselves, signatures and cursors', () => {
    const kept = {
      trigger_id: '12.34.ab',
      response_url: 'http://h/api/responses/1',
      next_cursor: 'dXNlcjo=',
      text: 'no secret',
      n: 1,
      none: null,
    };
    expect(redact(kept)).toEqual(kept);
    expect(redactHeaders({ 'x-slack-signature': 'v0=ab', 'content-type': 'text/plain' })).toEqual({
      'x-slack-signature': 'v0=ab',
      'content-type': 'text/plain',
    });
  });

  it('replaces credentials in headers', () => {
    expect(
      redactHeaders({ authorization: 'Bearer x', cookie: 'a=b', 'set-cookie': ['a=b'], 'x-sandbox-token': 'x' }),
    ).toEqual({ authorization: REDACTED, cookie: REDACTED, 'set-cookie': REDACTED, 'x-sandbox-token': REDACTED });
  });

  it('applies to the stored part of a long answer, wherever it is truncated', () => {
    const secret = `xoxb-123456789-${letters}`;
    for (const before of [
      0,
      100,
      MAX_BODY - 60,
      MAX_BODY - 40,
      MAX_BODY - 20,
      MAX_BODY - 14,
      MAX_BODY,
      MAX_BODY + 100,
    ]) {
      const answer = JSON.stringify({
        text: 'x'.repeat(before),
        bot_token: secret,
        note: secret,
        rest: 'y'.repeat(MAX_BODY),
      });
      const kept = keepAnswer(answer, 'application/json');
      const text = 'json' in kept ? (JSON.parse(kept.json) as string) : kept.text;
      expect(text, `${before}`).not.toContain('xoxb-1');
      expect(text).toContain(`{"text":"${'x'.repeat(Math.min(before, 50))}`);
      expect(kept.cutFrom).toBeGreaterThan(MAX_BODY);
    }
  });
});

/** docs/reference/sandboxes.md#timeline */
describe('the timeline of a sandbox', () => {
  const app = useApp();

  it('holds its signing secret nowhere, also bare in a text, and keeps other hashes', async () => {
    const { ctl, body: made } = await makeSandbox(app);
    const { signing_secret: secret, bot_token: bot } = made.credentials;
    expect(secret).toMatch(/^[0-9a-f]{32}$/);
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const text = `it is ${secret}, of ${trace}`;
    const waiting = send(app, 'POST', '/api/sandboxes/self/wait', ctl, {
      for: 'message',
      where: { text: { $contains: trace } },
      timeout_ms: 20_000,
    });
    expect((await send(app, 'POST', '/api/chat.postMessage', bearer(bot), { channel: 'general', text })).body.ok).toBe(
      true,
    );
    const found = (await waiting).body;
    expect(found).toMatchObject({ matched: true, entries: [{ data: { text: `it is ${REDACTED}, of ${trace}` } }] });
    for (const path of ['timeline', 'timeline.har']) {
      const { status, body } = await send(app, 'GET', `/api/sandboxes/self/${path}`, ctl);
      expect(status, path).toBe(200);
      expect(JSON.stringify(body)).toContain(trace);
      expect(JSON.stringify(body)).not.toContain(secret);
    }
  });
});
