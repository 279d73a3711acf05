import { afterAll, describe, expect, it } from 'vitest';
import { GuardedHttp, type PostAnswer } from '../../src/webhooks/guarded-http.js';
import { GuardedLookup, isRefusedAddress } from '../../src/webhooks/guarded-lookup.js';
import { TargetPolicy } from '../../src/webhooks/guarded-targets.js';
import { slackSignature, svcSignature } from '../../src/webhooks/signing.js';
import { closeReceivers, receiver } from '../support/receiver.js';

describe('the guarded HTTP client', () => {
  closeReceivers();
  const http = new GuardedHttp({ allowLinkLocal: false });
  afterAll(() => http.close());
  const post = (url: string, more: Partial<Parameters<GuardedHttp['post']>[0]> = {}): Promise<PostAnswer> =>
    http.post({
      url,
      headers: { 'content-type': 'text/plain', 'x-mark': '7' },
      body: 'héllo',
      timeoutMs: 1_000,
      ...more,
    });

  it('answers status, headers and body', async () => {
    const hook = await receiver((_, reply) => void reply.writeHead(202, { 'x-back': 'yes' }).end('fine'));
    const answer = await post(`${hook.url}?a=1`, { maxResponseBytes: 100 });
    expect(answer).toMatchObject({ answered: true, status: 202, headers: { 'x-back': 'yes' } });
    expect(answer.answered && answer.body.toString()).toBe('fine');
    expect(hook.received[0]).toMatchObject({ path: '/hook?a=1', body: 'héllo', headers: { 'x-mark': '7' } });
  });

  it('follows at most as many redirects as allowed, each with the same POST', async () => {
    const hook = await receiver((request, reply) => {
      const n = Number(request.path.slice(1)) || 0;
      reply.writeHead(n < 2 ? 302 : 200, { location: `/${n + 1}` }).end();
    });
    expect(await post(hook.url, { maxRedirects: 2 })).toMatchObject({ answered: true, status: 200 });
    expect(hook.received.map(({ path, body, headers }) => [path, body, headers['x-mark']])).toEqual([
      ['/hook', 'héllo', '7'],
      ['/1', 'héllo', '7'],
      ['/2', 'héllo', '7'],
    ]);
    expect(await post(hook.url, { maxRedirects: 1 })).toMatchObject({ answered: false, reason: 'too_many_redirects' });
    expect(await post(hook.url)).toMatchObject({ answered: true, status: 302 });
  });

  it('does not follow a redirect to another scheme', async () => {
    const hook = await receiver((_, reply) => void reply.writeHead(307, { location: 'https://127.0.0.1:1/' }).end());
    expect(await post(hook.url, { maxRedirects: 2 })).toMatchObject({ answered: true, status: 307 });
  });

  it.each([
    'http://169.254.169.254/',
    'http://2852039166/',
    'http://0xa9.0xfe.0xa9.0xfe/',
    'http://[::ffff:169.254.169.254]/',
    'http://[fe80::1]/',
    'http://[febf::1]/',
    'http://[fd00:ec2::254]/',
    'http://[64:ff9b::169.254.169.254]/',
  ])('refuses %s', async (url) => {
    expect(await post(url)).toEqual({ answered: false, reason: 'connection_failed', message: 'a link-local address' });
    const hook = await receiver((_, reply) => void reply.writeHead(302, { location: url }).end());
    expect(await post(hook.url, { maxRedirects: 2 })).toMatchObject({
      reason: 'connection_failed',
      message: 'a link-local address',
    });
  });

  it('refuses a name that resolves to such an address, unless that is allowed', async () => {
    for (const [address, refused] of [
      ['169.254.1.1', true],
      ['10.0.0.1', false],
    ] as const) {
      const addresses = ['127.0.0.1', address].map((one) => ({ address: one, family: 4 }));
      const resolver = { resolve: async () => ({ addresses, ttlMs: 0 }) };
      const ask = (allowed: boolean): Promise<string> =>
        new Promise((resolve) =>
          new GuardedLookup(new TargetPolicy('any', allowed), resolver).lookup('app.test', {}, (error, found) =>
            resolve(error?.code ?? String(found)),
          ),
        );
      expect(await ask(false)).toBe(refused ? 'ADDRESS_REFUSED' : '127.0.0.1');
      expect(await ask(true)).toBe('127.0.0.1');
    }
    expect(isRefusedAddress('::1')).toBe(false);
    expect(isRefusedAddress('192.168.0.1')).toBe(false);
    expect(isRefusedAddress('fe80::1%eth0')).toBe(true);
  });

  it('limits the total time, including the body', async () => {
    const slow = await receiver((_, reply) => {
      reply.writeHead(200);
      reply.write('a');
    });
    const started = performance.now();
    expect(await post(slow.url, { timeoutMs: 200, maxResponseBytes: 10 })).toMatchObject({ reason: 'http_timeout' });
    // the body itself would never end
    expect(performance.now() - started).toBeLessThan(5_000);
    // a caller that does not need the body does not wait for it
    expect(await post(slow.url, { timeoutMs: 200 })).toMatchObject({ answered: true, status: 200 });
    const loop = await receiver((_, reply) => {
      setTimeout(() => reply.writeHead(302, { location: '/again' }).end(), 90);
    });
    expect(await post(loop.url, { timeoutMs: 200, maxRedirects: 20 })).toMatchObject({ reason: 'http_timeout' });
  });

  it('limits the size of the body', async () => {
    const big = await receiver((_, reply) => void reply.end('x'.repeat(5_000)));
    expect(await post(big.url, { maxResponseBytes: 4_999 })).toMatchObject({
      answered: false,
      reason: 'unknown_error',
    });
    expect(await post(big.url, { maxResponseBytes: 5_000 })).toMatchObject({ answered: true, status: 200 });
    const endless = await receiver((_, reply) => {
      const more = (): void => void (reply.destroyed || reply.write('x'.repeat(50_000), () => setImmediate(more)));
      more();
    });
    expect(await post(endless.url)).toMatchObject({ answered: true, status: 200 });
  });

  it('distinguishes a refused connection, an unknown name, and an answer that is not HTTP', async () => {
    expect(await post('http://127.0.0.1:1/')).toMatchObject({ reason: 'connection_failed' });
    expect(await post('http://nowhere.invalid/')).toMatchObject({ reason: 'connection_failed' });
    expect(await post('ftp://127.0.0.1/')).toMatchObject({ reason: 'connection_failed' });
    expect(await post('nonsense')).toMatchObject({ reason: 'connection_failed' });
    const cut = await receiver((_, reply) => void reply.socket?.destroy());
    expect(await post(cut.url)).toMatchObject({ reason: 'connection_failed' });
    const odd = await receiver((_, reply) => void reply.socket?.end('what?\r\n\r\n'));
    expect(await post(odd.url)).toMatchObject({ reason: 'unknown_error' });
    expect(await post('http://127.0.0.1:1/', { headers: { 'x-bad': 'a\nb' } })).toMatchObject({
      reason: 'unknown_error',
    });
  });
});

describe('signatures', () => {
  it('equal those of the published example', () => {
    // https://api.slack.com/authentication/verifying-requests-from-slack
    const body =
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
    expect(slackSignature('8f742231b10e8888abcd99yyyzzz85a5', 1531420618, body)).toBe(
      'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    );
    expect(svcSignature('key', Buffer.from('The quick brown fox jumps over the lazy dog'))).toBe(
      'f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8',
    );
  });
});
