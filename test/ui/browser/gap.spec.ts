import { App, HTTPReceiver, LogLevel } from '@slack/bolt';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser.js';
import { Relay } from '../../support/relay.js';
import { rest } from '../../support/rest-client.js';

/** For conditions that are met at once, or later on a busy machine. */
const SOON = { timeout: 45_000 };

const running: HTTPReceiver[] = [];
let relay: Relay;

describeInBrowser(
  'messages while others post',
  (journey) => {
    afterAll(() => Promise.all(running.splice(0).map((one) => one.stop())));

    it('a Bolt app answers a mention in its thread, and the parent counts it', async () => {
      const { page, app } = journey();
      const ws = await app.workspace({ name: 'Acme' });
      const admin = await ws.jwtClient({ user: ws.admin });
      const scopes = ['app_mentions:read', 'chat:write', 'channels:history'];
      const { body: made } = await rest(app, 'POST /apps', {
        token: admin.token,
        body: { manifest: { display_information: { name: 'deploy-bot' }, oauth_config: { scopes: { bot: scopes } } } },
      });
      await admin.call('conversations.invite', { channel: ws.general.id, users: made.bot_user_id });
      const receiver = new HTTPReceiver({ signingSecret: made.credentials.signing_secret, logLevel: LogLevel.ERROR });
      const bolt = new App({
        token: made.bot_token,
        receiver,
        logLevel: LogLevel.ERROR,
        clientOptions: { slackApiUrl: `${app.baseUrl}/api/`, retryConfig: { retries: 0 } },
      });
      bolt.event('app_mention', async ({ event, client }) => {
        await client.chat.postMessage({ channel: event.channel, thread_ts: event.ts, text: 'Which environment?' });
      });
      running.push(receiver);
      const listening = (await receiver.start(0)) as unknown as Server;
      const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}/slack/events`;
      const subscribed = await rest(app, 'POST /events/subscribe', {
        token: made.bot_token,
        body: { request_url: url, events: ['app_mention'] },
      });
      expect(subscribed.status).toBeLessThan(300);
      await journey().signIn(ws);
      const composer = page.getByRole('textbox', { name: 'Message #general' });
      await composer.waitFor();
      await page.getByRole('button', { name: 'Details' }).waitFor();
      await composer.fill('@deploy-bot hi');
      await composer.press('Escape');
      await page.getByText('@deploy-bot is a mention').waitFor();
      await composer.press('Enter');
      const parent = page.getByRole('listitem').filter({ hasText: '@deploy-bot hi' });
      await parent.getByRole('link', { name: /1 reply/ }).click();
      const thread = page.getByRole('complementary', { name: 'Thread' });
      await thread.getByText('Which environment?').waitFor();
      await thread.getByRole('textbox', { name: 'Reply…' }).fill('staging');
      await thread.getByRole('textbox', { name: 'Reply…' }).press('Enter');
      await parent.getByText('2 replies').waitFor();
    });

    it('after a lost connection the page shows what was posted, edited and deleted meanwhile', async () => {
      const { page, app } = journey();
      const ws = await app.workspace({ name: 'Acme' });
      const bot = await ws.bot();
      const posted: string[] = [];
      for (const text of ['stays', 'is edited', 'is removed'])
        posted.push((await bot.call('chat.postMessage', { channel: ws.general.id, text })).ts as string);
      await journey().signIn(ws);
      const items = page.getByRole('list', { name: 'Messages' }).getByRole('listitem');
      await items.filter({ hasText: 'is removed' }).waitFor();
      await page.getByRole('button', { name: 'Live', exact: true }).waitFor();
      relay.hold();
      const calls: readonly (readonly [string, object])[] = [
        ['chat.update', { ts: posted[1], text: 'was edited' }],
        ['chat.delete', { ts: posted[2] }],
        ['chat.postMessage', { text: 'came meanwhile' }],
        ['reactions.add', { timestamp: posted[0], name: 'tada' }],
      ];
      for (const [method, args] of calls)
        expect(await bot.call(method, { channel: ws.general.id, ...args })).toMatchObject({ ok: true });
      expect(await items.filter({ hasText: 'came meanwhile' }).count()).toBe(0);
      relay.release();
      await items.filter({ hasText: 'came meanwhile' }).waitFor();
      await items.filter({ hasText: 'was edited' }).getByText('(edited)').waitFor();
      await items.filter({ hasText: 'stays' }).getByRole('button', { name: 'tada, 1' }).waitFor();
      await expect.poll(() => items.filter({ hasText: 'is removed' }).count(), SOON).toBe(0);
      await bot.call('chat.postMessage', { channel: ws.general.id, text: 'live again' });
      await items.filter({ hasText: 'live again' }).waitFor();
      expect(await items.filter({ hasText: 'live again' }).count()).toBe(1);
    });
  },
  async ({ app }) => {
    relay = await Relay.to(app.baseUrl);
    return {
      app,
      baseUrl: relay.through(app.baseUrl).replace(/\/$/, ''),
      // errors of requests in flight when the relay closes its connections
      expected: /^Failed to load resource: net::ERR_|^WebSocket connection to .* failed/,
      stop: () => relay.close(),
    };
  },
);
