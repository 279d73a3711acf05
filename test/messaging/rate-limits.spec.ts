import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestApp, useApp } from '../support/app.js';
import type { ChatClient } from '../support/chat-client.js';

/**
 * One cheap method of each tier; the calls fail at check 6 or later, so they count
 * (docs/reference/chat.md#order-of-checks).
 */
const TIERS = [
  ['Tier 2', 'reactions.remove', 20],
  ['Tier 3', 'chat.delete', 50],
  ['Tier 4', 'users.info', 100],
] as const;

/**
 * On PostgreSQL a frozen clock is inexact by the time that a statement takes (Clock.freeze): with this
 * duration and the following ones, every expected count is at least 300 ms away from the next one.
 */
const OVER_A_SECOND = 1_300;

describe('rate limits', () => {
  const app = useApp();
  const limited = { ok: false, error: 'ratelimited' };

  /** Calls until the first refusal, and answers the number of accepted calls. */
  async function exhaust(client: ChatClient, method: string, args: object = {}): Promise<number> {
    for (let calls = 0; calls < 200; calls++) {
      const { status, body } = await client.wire(method, { ...args });
      if (status === 429) {
        expect(body).toEqual(limited);
        return calls;
      }
    }
    throw new Error('never refused');
  }

  it.each(TIERS)('%s (%s) accepts %i calls in 60 s', async (_tier, method, allowance) => {
    const bot = await (await app.workspace()).bot();
    app.clock.freeze();
    expect((await bot.wire(method)).status).toBe(200);
    app.clock.advance(20_400);
    expect(await exhaust(bot, method)).toBe(allowance - 1);

    const refused = await bot.wire(method);
    expect(refused.headers.get('retry-after')).toBe('40');
    app.clock.advance(39_100);
    expect((await bot.wire(method)).headers.get('retry-after')).toBe('1');
    // the first call leaves the window; refused calls were not counted
    app.clock.advance(600);
    expect((await bot.wire(method)).status).toBe(200);
    const next = await bot.wire(method);
    expect(next.body).toEqual(limited);
    expect(next.headers.get('retry-after')).toBe('21');
  });

  it('shares one budget between the bot and user tokens of an app in a workspace, separately for each method', async () => {
    const ws = await app.workspace();
    const user = await ws.userClient();
    const other = await ws.userClient();
    const bot = await ws.defaultBot();
    expect(await exhaust(user, 'users.setPresence')).toBe(20);
    for (const client of [other, bot]) expect((await client.wire('users.setPresence')).status).toBe(429);
    expect((await user.wire('reactions.remove')).status).toBe(200);
    // the budgets of another app and of another workspace are separate
    expect((await (await ws.bot()).wire('users.setPresence')).status).toBe(200);
    const elsewhere = await (await app.workspace()).userClient();
    expect((await elsewhere.wire('users.setPresence')).status).toBe(200);
  });

  it('counts a JWT by its user', async () => {
    const ws = await app.workspace();
    const [ann, bea] = [await ws.user(), await ws.user()];
    expect(await exhaust(await ws.jwtClient({ user: ann }), 'users.setPresence')).toBe(20);
    expect((await (await ws.jwtClient({ user: ann })).wire('users.setPresence')).status).toBe(429);
    expect((await (await ws.jwtClient({ user: bea })).wire('users.setPresence')).status).toBe(200);
    expect((await (await ws.userClient({ user: ann })).wire('users.setPresence')).status).toBe(200);
  });

  it('does not count calls with unknown tokens or missing scopes', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot({ scopes: ['users:read'] });
    for (let i = 0; i < 25; i++) expect((await bot.wire('users.setPresence')).status).toBe(403);
    // a token of the same app with the scope
    const able = await ws.tokenOf(bot, ['users:write']);
    expect(await exhaust(able, 'users.setPresence')).toBe(20);
    // a call without the scope is answered with missing_scope, not with ratelimited
    expect((await bot.wire('users.setPresence')).status).toBe(403);
  });

  it('is reported by the official client', async () => {
    const bot = await (await app.workspace()).bot();
    await exhaust(bot, 'users.setPresence');
    await expect(bot.webClient().users.setPresence({ presence: 'auto' })).rejects.toMatchObject({
      code: 'slack_webapi_rate_limited_error',
      retryAfter: expect.any(Number),
    });
  });

  describe('chat.postMessage', () => {
    it('accepts a burst of 5 and then one a second per channel, however the channel is named', async () => {
      const ws = await app.workspace();
      const bot = await ws.bot();
      app.clock.freeze();
      const post = (channel: string) => bot.wire('chat.postMessage', { channel, text: 'x' });
      for (const channel of [ws.general.id, '#general', 'general', ws.general.id, '#general']) {
        expect((await post(channel)).status).toBe(200);
      }
      for (const channel of [ws.general.id, '#general', 'general']) {
        const { body, status, headers } = await post(channel);
        expect([body, status, headers.get('retry-after')]).toEqual([limited, 429, '1']);
      }
      app.clock.advance(OVER_A_SECOND);
      expect((await post('general')).status).toBe(200);
      expect((await post('general')).status).toBe(429);
      app.clock.advance(400);
      expect((await post('general')).status).toBe(429);
      app.clock.advance(60_000);
      expect(await exhaust(bot, 'chat.postMessage', { channel: '#general', text: 'x' })).toBe(5);
      expect((await post(ws.random.id)).status).toBe(200);
    });

    it('counts a DM by its users, and failed posts too, but not posts to an unknown channel', async () => {
      const ws = await app.workspace();
      const [bot, user] = [await ws.bot(), await ws.user()];
      const { channel } = await bot.call('chat.postMessage', { channel: user.id, text: 'opens the DM' });
      app.clock.freeze();
      app.clock.advance(10_000);
      for (let i = 0; i < 8; i++) {
        expect((await bot.wire('chat.postMessage', { channel: 'nowhere', text: 'x' })).body).toEqual({
          ok: false,
          error: 'channel_not_found',
        });
        expect((await bot.wire('chat.postMessage', { text: 'x' })).body).toMatchObject({ error: 'invalid_arguments' });
      }
      expect((await bot.wire('chat.postMessage', { channel, text: '' })).body).toEqual({ ok: false, error: 'no_text' });
      for (let i = 0; i < 4; i++)
        expect((await bot.wire('chat.postMessage', { channel: user.id, text: 'x' })).status).toBe(200);
      for (const target of [user.id, channel])
        expect((await bot.wire('chat.postMessage', { channel: target, text: 'x' })).status).toBe(429);
    });

    it('counts apps separately, and JWTs by user', async () => {
      const ws = await app.workspace();
      const clients = [await ws.bot(), await ws.bot(), await ws.jwtClient(), await ws.jwtClient()];
      app.clock.freeze();
      for (const client of clients)
        expect(await exhaust(client, 'chat.postMessage', { channel: ws.general.id, text: 'x' })).toBe(5);
    });
  });

  describe('with SVC_RATE_LIMIT_MULTIPLIER', () => {
    let off: TestApp;
    let half: TestApp;
    beforeAll(async () => {
      off = await TestApp.start({ SVC_RATE_LIMIT_MULTIPLIER: '0' });
      half = await TestApp.start({ SVC_RATE_LIMIT_MULTIPLIER: '0.3' });
    });
    afterAll(async () => {
      await off.stop();
      await half.stop();
    });

    it('0 refuses no call', async () => {
      const ws = await off.workspace();
      const bot = await ws.bot();
      for (let i = 0; i < 25; i++) {
        expect((await bot.wire('users.setPresence')).status).toBe(200);
        expect((await bot.wire('chat.postMessage', { channel: '#general', text: 'x' })).status).toBe(200);
      }
    });

    it('0.3 rounds down, but leaves one', async () => {
      const ws = await half.workspace();
      const bot = await ws.bot();
      half.clock.freeze();
      expect(await exhaust(bot, 'users.setPresence')).toBe(6);
      expect(await exhaust(bot, 'chat.postMessage', { channel: '#general', text: 'x' })).toBe(1);
      half.clock.advance(OVER_A_SECOND);
      expect((await bot.wire('chat.postMessage', { channel: '#general', text: 'x' })).status).toBe(200);
    });
  });
});
