import { describe, expect, it, onTestFinished } from 'vitest';
import { TestApp } from '../support/app.js';
import { createDatabase, onPostgres, serverUrl } from '../support/databases.js';
import { Listener, listen } from '../support/listener.js';
import { eventually } from '../support/receiver.js';
import { twoReplicas } from '../support/replicas.js';

describe('realtime over several processes', () => {
  it.skipIf(serverUrl === undefined)(
    `sockets on one receive events of the other, in order, and none after a kick there${onPostgres}`,
    async () => {
      const [one, two] = await twoReplicas({ SVC_RATE_LIMIT_MULTIPLIER: '0' });
      const ws = await one.workspace();
      const [bot, ann] = [await ws.bot(), await ws.jwtClient()];
      const channel = await ws.channel({ isPrivate: true, members: [bot, ann] });
      const ears = await Promise.all([
        Listener.connect(two, { token: ann.token }),
        Listener.connect(two, { token: bot.token }),
        Listener.connect(one, { token: bot.token }),
      ]);
      const [anns, ...bots] = ears as [Listener, Listener, Listener];
      const texts = Array.from({ length: 40 }, (_, i) => `post ${i}`);
      // the user and the bot post alternately, on either process
      for (const [i, text] of texts.entries()) {
        const { baseUrl } = i % 2 === 0 ? one : two;
        const { token } = i % 4 < 2 ? bot : ann;
        const answer = await fetch(`${baseUrl}/api/chat.postMessage`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ channel: channel.id, text }),
        });
        expect(await answer.json()).toMatchObject({ ok: true });
      }
      await bot.call('conversations.kick', { channel: channel.id, user: ann.userId });
      await bot.call('conversations.setTopic', { channel: channel.id, topic: 'end' });
      for (const ear of bots) await eventually(() => ear.of('message').some((m) => m.topic === 'end'), 'the topic');
      for (const ear of bots) expect(ear.texts.filter((text) => text.startsWith('post'))).toEqual(texts);
      expect(anns.texts).toEqual(texts);
      expect(anns.names.at(-1)).toBe('member_left_channel');
    },
    60_000,
  );

  it.skipIf(serverUrl === undefined)(
    `the limit on sockets of a credential counts all processes, and sockets of a stopped one are freed${onPostgres}`,
    async () => {
      const database = await createDatabase();
      onTestFinished(database.drop);
      const env = { DATABASE_URL: database.url, SVC_MAX_SOCKETS: '2' };
      const [one, two] = [await TestApp.start(env), await TestApp.start(env)];
      onTestFinished(() => two.stop());
      const bot = await (await one.workspace()).bot();
      const auth = { token: bot.token };
      await Listener.connect(one, auth);
      const second = await Listener.connect(two, auth);
      for (const app of [one, two]) expect(await Listener.refusal(app, auth)).toBe('too_many_sockets');
      second.socket.disconnect();
      await eventually(async () => (await Listener.refusal(one, auth)).startsWith('nothing'), 'a free seat');
      await one.stop();
      await Listener.connect(two, auth);
    },
    60_000,
  );

  it('an application that stops closes its sockets, and clients may reconnect elsewhere', async () => {
    const app = await TestApp.start({ SVC_DATA_DIR: 'memory' });
    const ws = await app.workspace();
    const bot = await ws.bot();
    const ears = [await listen(bot), await listen(bot, { transports: ['polling'] })];
    const begun = performance.now();
    await app.stop();
    expect(performance.now() - begun).toBeLessThan(8_000);
    for (const ear of ears) expect(await ear.end()).toMatch(/^transport (close|error)$/);
  });
});
