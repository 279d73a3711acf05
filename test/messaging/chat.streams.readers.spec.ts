import { describe, expect, it } from 'vitest';
import { onPostgres, serverUrl } from '../support/databases.js';
import { useApp } from '../support/app.js';
import type { ChatClient } from '../support/chat-client.js';
import { Listener, listen } from '../support/listener.js';
import { modalApp } from '../support/modal-app.js';
import { closeReceivers, eventually, receiver } from '../support/receiver.js';
import { rest } from '../support/rest-client.js';
import { twoReplicas } from '../support/replicas.js';
import type { WorkspaceBuilder } from '../support/workspace.js';

type Json = Record<string, any>;

// docs/reference/chat.md#streams
describe('what others see of a stream', () => {
  const app = useApp();
  closeReceivers();

  const begin = async (ws: WorkspaceBuilder, more: object = {}, members: readonly ChatClient[] = []) => {
    const [bot, ann] = [await ws.bot(), await ws.jwtClient()];
    const channel = await ws.channel({ members: [ann, bot, ...members] });
    const recipients = { recipient_user_id: ann.userId, recipient_team_id: ws.id };
    const start = async () => {
      const { ts } = await bot.call('chat.startStream', { channel: channel.id, ...recipients, ...more });
      return { channel: channel.id, ts: ts as string };
    };
    return { bot, ann, channel, start };
  };

  it('apps hear of its start and of its end, and of nothing between', async () => {
    const ws = await app.workspace();
    const { bot, channel, start } = await begin(ws, { markdown_text: 'one' });
    const far = await receiver();
    await rest(app, 'POST /events/subscribe', {
      token: bot.token,
      body: { request_url: far.url, events: ['message.channels'] },
    });
    const at = await start();
    for (const word of [' two', ' three']) await bot.call('chat.appendStream', { ...at, markdown_text: word });
    await bot.call('chat.stopStream', { ...at, markdown_text: ' four' });
    const events = (): Json[] =>
      far.received.flatMap(({ body }) => (JSON.parse(body) as Json)['event'] ?? []).filter((e) => e.type === 'message');
    await eventually(() => events().length >= 2, 'two events');
    const [first, last] = events();
    expect(first).toMatchObject({ text: 'one', streaming_state: 'in_progress', ts: at.ts, channel: channel.id });
    const { channel: _c, channel_type: _t, event_ts: _e, ...begun } = first as Json;
    expect(last).toMatchObject({
      subtype: 'message_changed',
      hidden: true,
      message: { text: 'one two three four', streaming_state: 'completed', ts: at.ts },
      previous_message: begun,
    });
    expect(last?.['message']).not.toHaveProperty('edited');
    expect(await ws.recorded('message')).toHaveLength(2);
  });

  it('sockets see it grow, at most ten times a second, and its last state always', async () => {
    const ws = await app.workspace();
    const { bot, ann, start } = await begin(ws);
    const stranger = await ws.jwtClient();
    const [ear, other] = [await listen(ann), await listen(stranger)];
    const at = await start();
    const began = performance.now();
    for (let i = 0; i < 60; i++) await bot.call('chat.appendStream', { ...at, markdown_text: `${i} ` });
    const text = Array.from({ length: 60 }, (_, i) => i).join(' ');
    const changes = (): Json[] => ear.of('message').filter(({ subtype }) => subtype === 'message_changed');
    await eventually(() => changes().at(-1)?.['message'].text === text, 'all of it');
    const tenths = Math.ceil((performance.now() - began) / 100) + 1;
    expect(changes().length).toBeLessThanOrEqual(tenths);
    for (const change of changes()) {
      expect(change).toMatchObject({
        hidden: true,
        channel: at.channel,
        message: { ts: at.ts, streaming_state: 'in_progress' },
        previous_message: { ts: at.ts, text: '' },
      });
    }
    await bot.call('chat.stopStream', at);
    await eventually(() => changes().at(-1)?.['message'].streaming_state === 'completed', 'its end');
    expect(other.of('message')).toEqual([]);
    expect(await ws.recorded('message')).toHaveLength(2);
  });

  it('history, replies, search and permalinks show it as it stands', async () => {
    const ws = await app.workspace();
    const { bot, ann, channel, start } = await begin(ws);
    const at = await start();
    const found = async (query: string) =>
      (await ann.call('search.messages', { query })).messages.matches.map((match: Json) => match['text']);
    for (const word of ['banana', ' papaya']) {
      await bot.call('chat.appendStream', { ...at, markdown_text: word });
    }
    expect(await found('papaya')).toEqual(['banana papaya']);
    expect(await found('banana')).toEqual(['banana papaya']);
    const shown = { text: 'banana papaya', streaming_state: 'in_progress' };
    expect((await ann.call('conversations.history', { channel: channel.id })).messages[0]).toMatchObject(shown);
    expect((await ann.call('conversations.replies', at)).messages).toMatchObject([shown]);
    expect(await ann.call('chat.getPermalink', { channel: at.channel, message_ts: at.ts })).toMatchObject({ ok: true });
    await bot.call('chat.stopStream', { ...at, markdown_text: ' cherimoya' });
    expect(await found('papaya')).toEqual(['banana papaya cherimoya']);
  });

  it('mentions of other apps and links are judged once, at its end', async () => {
    const ws = await app.workspace();
    const other = await ws.bot({ features: { unfurl_domains: ['example.com'] } });
    const { bot, start } = await begin(ws, {}, [other]);
    const at = await start();
    await bot.call('chat.appendStream', { ...at, markdown_text: `<@${other.userId}> see https://example.com/a` });
    await bot.call('chat.appendStream', { ...at, markdown_text: ' now' });
    const kinds = async () => (await ws.recorded()).map(({ type }) => type);
    expect(await kinds()).toEqual(['message']);
    await bot.call('chat.stopStream', at);
    expect(await kinds()).toEqual(['message', 'message', 'app_mention', 'link_shared']);
    expect((await ws.recorded('app_mention'))[0]).toMatchObject({ ts: at.ts, text: expect.stringContaining('now') });
  });

  it('a stream in a thread counts as a reply, and ends the status of its app there', async () => {
    const ws = await app.workspace();
    const { bot, ann, channel } = await begin(ws);
    const root = await ann.call('chat.postMessage', { channel: channel.id, text: 'help' });
    const thread = { channel: channel.id, thread_ts: root.ts };
    await bot.call('assistant.threads.setStatus', { channel_id: channel.id, thread_ts: root.ts, status: 'thinking' });
    const recipients = { recipient_user_id: ann.userId, recipient_team_id: ws.id };
    const { ts } = await bot.call('chat.startStream', { ...thread, ...recipients });
    const screen = await rest(app, 'GET /act/screen', { token: ann.token });
    expect(screen.body.assistant).toMatchObject([{ status: '' }]);
    const { messages } = await ann.call('conversations.replies', { channel: channel.id, ts: root.ts });
    expect(messages).toMatchObject([
      { reply_count: 1, latest_reply: ts },
      { ts, thread_ts: root.ts, text: '' },
    ]);
  });

  it('an act waits for its end, and shows it as it stands', async () => {
    const ws = await app.workspace();
    const { bot, far, act, person } = await modalApp(app, ws, {});
    await ws.join(ws.general, bot);
    await rest(app, 'POST /events/subscribe', {
      token: bot.token,
      body: { request_url: far.url, events: ['message.channels'] },
    });
    let stops = true;
    far.answer = (request, reply) => {
      reply.end();
      const { event } = JSON.parse(request.body) as { event?: Json };
      if (event?.['bot_id'] !== undefined || event?.['text'] === undefined || event['subtype'] !== undefined) return;
      void (async () => {
        const recipients = { recipient_user_id: person.userId, recipient_team_id: ws.id };
        const place = { channel: event['channel'], thread_ts: event['ts'] };
        const { ts } = await bot.call('chat.startStream', { ...place, ...recipients });
        const at = { channel: event['channel'], ts };
        await bot.call('chat.appendStream', { ...at, markdown_text: 'thinking' });
        if (stops) await bot.call('chat.stopStream', { ...at, markdown_text: ' done' });
      })();
    };
    const ended = await act('message', { channel: '#general', text: 'go', wait_ms: 5_000 });
    expect(ended.body).toMatchObject({
      timed_out: false,
      replies: { messages: [{ text: 'thinking done', streaming_state: 'completed' }] },
    });
    stops = false;
    const open = await act('message', { channel: '#general', text: 'go', wait_ms: 600 });
    expect(open.body).toMatchObject({
      timed_out: true,
      replies: { messages: [{ text: 'thinking', streaming_state: 'in_progress' }] },
    });
  });

  it.skipIf(serverUrl === undefined)(
    `appends on two replicas land in the order of their answers, and sockets of both see all of it, ten times a second${onPostgres}`,
    async () => {
      const [one, two] = await twoReplicas({ SVC_RATE_LIMIT_MULTIPLIER: '0' });
      const ws = await one.workspace();
      const { bot, ann, start } = await begin(ws);
      const ears = [
        await Listener.connect(one, { token: ann.token }),
        await Listener.connect(two, { token: ann.token }),
      ];
      const at = await start();
      const call = async (server: { baseUrl: string }, method: string, args: object): Promise<Json> => {
        const response = await fetch(`${server.baseUrl}/api/${method}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${bot.token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ ...at, ...args }),
        });
        return (await response.json()) as Json;
      };
      const began = performance.now();
      const words = Array.from({ length: 20 }, (_, i) => `w${i} `);
      for (const [i, word] of words.entries()) {
        expect(await call(i % 2 ? two : one, 'chat.appendStream', { markdown_text: word })).toMatchObject({ ok: true });
      }
      const text = words.join('').trim();
      for (const ear of ears) {
        const last = (): Json | undefined => ear.of('message').at(-1);
        await eventually(() => last()?.['message']?.text === text, 'all of it');
        expect(last()?.['message'].streaming_state).toBe('in_progress');
      }
      const many = Array.from({ length: 10 }, (_, i) => `<${i}>`);
      const answers = await Promise.all(
        many.map((markdown_text, i) => call(i % 2 ? two : one, 'chat.appendStream', { markdown_text })),
      );
      expect(answers.every(({ ok }) => ok === true)).toBe(true);
      for (const ear of ears) {
        const changes = ear.of('message').filter(({ subtype }) => subtype === 'message_changed');
        expect(changes.length).toBeLessThanOrEqual(Math.ceil((performance.now() - began) / 100) + 1);
      }
      const { message } = await call(two, 'chat.stopStream', {});
      expect(message.text.match(/<\d>/g).sort()).toEqual(many);
      for (const ear of ears) {
        await eventually(() => ear.of('message').at(-1)?.message?.streaming_state === 'completed', 'its end');
      }
    },
    60_000,
  );
});
