import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Db } from '../../src/kernel/database/db.js';
import { useApp } from '../support/app.js';
import { locationOf, TestBrowser, ticketOf } from '../support/consent.js';
import { clientCall } from '../support/oauth-app.js';
import { postForm } from '../support/oauth-application.js';
import { makeSandbox, send } from '../support/sandbox-routes.js';

const app = useApp();

const TABLES = `SELECT quote_ident(table_name) AS name FROM information_schema.tables
  WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`;

/** The tables in which one of these texts stands. */
async function placesOf(texts: readonly string[]): Promise<string[]> {
  const db = app.nest.get(Db);
  const found: string[] = [];
  for (const { name } of await db.readText<{ name: string }>(TABLES)) {
    const looked = `SELECT EXISTS (SELECT FROM ${name} t WHERE t::text LIKE ANY (ARRAY[${texts.map((text) => `'%${text}%'`).join(',')}])) AS is_there`;
    if ((await db.readText<{ is_there: boolean }>(looked))[0]?.is_there) found.push(name);
  }
  return found;
}

/** docs/reference/safety.md#secrets-at-rest */
describe('what apps and their people are given by OAuth', () => {
  it('is stored by hash alone: client secrets, codes, tokens, tickets and cookies', async () => {
    const redirect = 'https://app.example/back';
    const { body, ctl } = await makeSandbox(app, {
      methods: 'all',
      journal: true,
      users: ['alice'],
      apps: [
        {
          name: 'shop',
          scopes: { bot: ['chat:write'], user: ['users:read'] },
          redirect_urls: [redirect],
          token_rotation: true,
          installed: false,
        },
      ],
      tracker: { apps: [{ name: 'shop', redirect_uris: [redirect] }] },
    });
    const { shop } = body.credentials.apps;
    const tracked = body.credentials.tracker_apps.shop;
    const { user_id: alice, tracker_user_id: tracker } = body.credentials.users.alice;
    const secrets = [shop.client_secret, tracked.client_secret];

    const consented = async (path: string, user: string, query: Record<string, string>): Promise<string> => {
      const browser = new TestBrowser(app);
      const page = await browser.get(`${app.baseUrl}/${path}?${new URLSearchParams(query).toString()}`);
      const cookie = /^[^=]+=([^;]+)/.exec(page.headers.get('set-cookie') ?? '')?.[1] ?? '';
      // a second page of the same browser, whose ticket nobody spends
      const open = await browser.get(`${app.baseUrl}/${path}?${new URLSearchParams(query).toString()}`);
      const decided = await browser.post('/oauth/consent', { decision: 'allow', ticket: ticketOf(page), user });
      const code = locationOf(decided).searchParams.get('code') ?? '';
      secrets.push(code, cookie, ticketOf(open));
      return code;
    };
    const client = { client_id: shop.client_id, client_secret: shop.client_secret };
    const code = await consented('oauth/v2/authorize', alice, { client_id: shop.client_id });
    const installed = await clientCall(app, 'oauth.v2.access', { ...client, code });
    const signIn = { client_id: shop.client_id, response_type: 'code', scope: 'openid' };
    const signInCode = await consented('openid/connect/authorize', alice, signIn);
    const signedIn = await clientCall(app, 'openid.connect.token', { ...client, code: signInCode });
    const config = (await send(app, 'POST', '/api/sandboxes/self/config-token', ctl, {})).body;
    const asked = { client_id: tracked.client_id, redirect_uri: redirect, response_type: 'code' };
    const form = { client_id: tracked.client_id, client_secret: tracked.client_secret, redirect_uri: redirect };
    const tokens = await postForm(app, '/oauth/token', {
      grant_type: 'authorization_code',
      code: await consented('oauth/authorize', tracker, asked),
      ...form,
    });
    for (const pair of [installed, installed.authed_user, signedIn, config, tokens.body])
      secrets.push(pair.access_token ?? pair.token, pair.refresh_token);
    secrets.push(signedIn.id_token);
    expect(secrets.filter((secret) => !/^[\w.-]{32,}$/.test(secret))).toEqual([]);
    expect(await placesOf(secrets)).toEqual([]);
    // what is stored readable would be found
    const text = randomBytes(20).toString('hex');
    await clientCall(app, 'chat.postMessage', { token: body.credentials.bot_token, channel: '#general', text });
    expect(await placesOf([text])).toContain('messages');
  });
});
