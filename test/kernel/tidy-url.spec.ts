import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { tidyUrl } from '../../src/kernel/http/tidy-url.js';
import { useApp } from '../support/app.js';
import { rest } from '../support/rest-client.js';

describe('the path of a request', () => {
  it.each([
    ['/api/chat.postMessage?text=%00%2E%', '/api/chat.postMessage?text=%00%2E%'],
    ['/api/chat%2EpostMessag%65', '/api/chat.postMessage'],
    ['/a%2fb%3Fc%23?%2E', '/a%2Fb%3Fc%23?%2E'],
    ['/caf%c3%a9%20', '/caf%C3%A9%20'],
    ['/x%00', '/x%EF%BF%BD'],
    ['/x%FFy%C3', '/x%EF%BF%BDy%EF%BF%BD'],
    ['/100%', '/100%25'],
    ['/%zz%4', '/%25zz%254'],
  ])('%s is normalized to %s', (sent, tidy) => {
    expect(tidyUrl(sent)).toBe(tidy);
    expect(tidyUrl(tidy)).toBe(tidy);
  });

  const app = useApp();

  /** Sends the path unchanged, as fetch would normalize its escapes. */
  const send = (method: string, path: string, token?: string, body?: object): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      };
      const call = request(new URL(app.baseUrl).origin, { method, path, headers }, (response) => {
        let text = '';
        response.on('data', (part) => (text += String(part)));
        response.on('end', () => resolve(`${response.statusCode} ${text}`));
      });
      call.once('error', reject);
      call.end(body && JSON.stringify(body));
    });
  const notFound = (code: string): string => `404 {"statusCode":404,"message":"${code}","error":"Not Found"}`;

  it('has the same meaning however it is escaped', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const { url } = (await rest(app, 'POST /webhooks/incoming', { token: bot.token, body: { channel: '#general' } }))
      .body;
    const hook = String(url).split('/incoming/')[1] as string;
    const message = { channel: ws.general.id, text: 'x' };
    expect(await send('POST', '/api/chat%2Epost%4Dessage', bot.token, message)).toMatch(/^200 {"ok":true/);
    expect(await send('POST', '/api/no%2Esuch', bot.token, {})).toBe(
      '200 {"ok":false,"error":"unknown_method","req_method":"no.such"}',
    );
    expect(await send('POST', `/api/webhooks/incomin%67/${hook}`, undefined, { text: 'x' })).toBe('200 ok');
    expect(await send('POST', `/api/interactions/respon%64/x`, undefined, { text: 'x' })).toBe(
      '404 {"ok":false,"error":"expired_url"}',
    );
  });

  it('is unknown when it contains characters that no name has', async () => {
    const ws = await app.workspace();
    const { token } = await ws.jwtClient();
    for (const id of ['x%00', 'x%FF', 'x%ZZ', '%']) {
      expect(await send('POST', `/api/webhooks/incoming/${id}`, undefined, { text: 'x' })).toBe('404 no_service');
      expect(await send('DELETE', `/api/webhooks/incoming/${id}`, token)).toBe(notFound('webhook_not_found'));
      expect(await send('DELETE', `/api/webhooks/outgoing/${id}`, token)).toBe(notFound('webhook_not_found'));
      expect(await send('DELETE', `/api/events/subscriptions/${id}`, token)).toBe(notFound('subscription_not_found'));
      expect(await send('GET', `/api/workspaces/${id}`, token)).toBe(notFound('team_not_found'));
      expect(await send('GET', `/api/${id}`, token)).toBe(notFound('not_found'));
    }
    expect(await send('GET', `/api/workspaces/${'x'.repeat(600)}`, token)).toBe(notFound('not_found'));
    expect(await send('GET', '/api/webhooks/outgoing?team_id=%00', token)).toBe(notFound('team_not_found'));
  });
});
