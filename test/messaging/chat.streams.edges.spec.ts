import { afterAll, describe, expect, it } from 'vitest';
import { TestApp, useApp } from '../support/app.js';
import { modalApp } from '../support/modal-app.js';
import { closeReceivers } from '../support/receiver.js';
import { rest } from '../support/rest-client.js';

const refused = (error: string) => ({ ok: false, error });
const x = (length: number) => 'x'.repeat(length);
const task = (more: object = {}) => ({ type: 'task_update', id: 'a', title: 'A', status: 'pending', ...more });

// docs/reference/chat.md#streams
describe('the edges of streams', () => {
  const app = useApp();
  closeReceivers();
  const others: TestApp[] = [];
  afterAll(() => Promise.all(others.splice(0).map((one) => one.stop())));

  const place = async (server = app) => {
    const ws = await server.workspace();
    const [bot, ann] = [await ws.bot(), await ws.jwtClient()];
    const channel = await ws.channel({ members: [ann, bot] });
    const to = { channel: channel.id, recipient_user_id: ann.userId, recipient_team_id: ws.id };
    const start = async (args: object = {}) => {
      const { ok, ...at } = await bot.call('chat.startStream', { ...to, ...args });
      expect(ok).toBe(true);
      return at as { channel: string; ts: string };
    };
    const newest = async () => (await ann.call('conversations.history', { channel: channel.id, limit: 1 })).messages[0];
    return { ws, bot, ann, channel, to, start, newest };
  };

  it.each<[string, (n: number) => object, most: number, error: string]>([
    ['markdown_text', (n) => ({ markdown_text: x(n) }), 12_000, 'msg_too_long'],
    ['text', (n) => ({ chunks: [{ type: 'markdown_text', text: x(n) }] }), 12_000, 'msg_too_long'],
    ['id', (n) => ({ chunks: [task({ id: x(n) })] }), 256, 'invalid_chunks'],
    ['title', (n) => ({ chunks: [task({ title: x(n) })] }), 256, 'invalid_chunks'],
    ['details', (n) => ({ chunks: [task({ details: x(n) })] }), 256, 'invalid_chunks'],
    ['output', (n) => ({ chunks: [task({ output: x(n) })] }), 256, 'invalid_chunks'],
    ["a plan's title", (n) => ({ chunks: [{ type: 'plan_update', title: x(n) }] }), 256, 'invalid_chunks'],
  ])('%s has its limit in each of the three calls', async (_, content, most, error) => {
    const { bot, start, to } = await place();
    const at = await start(content(most));
    expect(await bot.call('chat.startStream', { ...to, ...content(most + 1) })).toMatchObject(refused(error));
    expect(await bot.call('chat.appendStream', { ...at, ...content(most) })).toMatchObject({ ok: true });
    expect(await bot.call('chat.appendStream', { ...at, ...content(most + 1) })).toMatchObject(refused(error));
    expect(await bot.call('chat.stopStream', { ...at, ...content(most + 1) })).toMatchObject(refused(error));
    expect(await bot.call('chat.stopStream', { ...at, ...content(most) })).toMatchObject({ ok: true });
  });

  it('12,000 characters are the limit of each text, not of all of them', async () => {
    const { bot, start } = await place();
    const words = `${'word '.repeat(2_399)}\n`;
    const at = await start({ markdown_text: words });
    const chunks = [
      { type: 'markdown_text', text: words },
      { type: 'markdown_text', text: words },
    ];
    expect(await bot.call('chat.appendStream', { ...at, markdown_text: words, chunks })).toMatchObject({ ok: true });
    const { message } = await bot.call('chat.stopStream', at);
    expect(message.text.length).toBeGreaterThan(47_000);
  });

  it('dense is a timeline, and a plan is asked for by its name', async () => {
    const { start, newest } = await place();
    for (const [mode, type] of [
      ['dense', 'task_card'],
      ['timeline', 'task_card'],
      ['plan', 'plan'],
    ]) {
      await start({ task_display_mode: mode, chunks: [task()] });
      expect((await newest()).blocks).toMatchObject([{ type }]);
    }
  });

  it('details and output grow by what comes, title, status and sources are what came last', async () => {
    const { bot, start, newest } = await place();
    const source = (text: string) => ({ type: 'url', url: 'https://a.example/', text });
    const at = await start({ chunks: [task({ details: 'a', output: '1', sources: [source('x')] })] });
    const append = (...chunks: object[]) => bot.call('chat.appendStream', { ...at, chunks });
    await append(task({ title: 'B', status: 'complete', details: 'b', output: '2', sources: [source('y')] }));
    const said = (text: string) => ({ elements: [{ elements: [{ type: 'text', text }] }] });
    const shown = { title: 'B', status: 'complete', details: said('ab'), output: said('12'), sources: [source('y')] };
    expect((await newest()).blocks).toMatchObject([shown]);
    await append(task({ title: 'B', status: 'complete' }));
    expect((await newest()).blocks).toMatchObject([shown]);
    expect((await append(task({ sources: 'x' }))).error).toBe('invalid_chunks');
  });

  it('chat.stopStream checks its blocks, metadata and status before anything is done', async () => {
    const { ws, bot, start } = await place();
    const at = await start({ markdown_text: 'so far' });
    const stop = (args: object) => bot.call('chat.stopStream', { ...at, markdown_text: ' more', ...args });
    expect(await stop({ blocks: 'x' })).toMatchObject(refused('invalid_blocks_format'));
    expect(await stop({ blocks: [{ type: 'nothing' }] })).toMatchObject({
      ...refused('invalid_blocks'),
      response_metadata: { messages: [expect.stringContaining('[json-pointer:/blocks/0/type]')] },
    });
    const many = Array.from({ length: 51 }, () => ({ type: 'divider' }));
    expect((await stop({ blocks: many })).error).toMatch(/^invalid_blocks/);
    expect(await stop({ metadata: { event_type: '' } })).toMatchObject(refused('invalid_metadata_format'));
    expect(await stop({ session_status: 'busy' })).toMatchObject(refused('invalid_status'));
    const blocks = many.slice(0, 50);
    const { message } = await stop({ blocks, chunks: [] });
    expect(message).toMatchObject({ text: 'so far more', blocks: [{ type: 'rich_text' }, ...blocks] });
    expect(await ws.recorded('message')).toHaveLength(2);
  });

  it('a stream that is stopped by a person is told as one that ends, and is judged once', async () => {
    const ws = await app.workspace();
    const made = await modalApp(app, ws, {
      features: { agent_view: { agent_description: 'x' } },
      scopes: ['assistant:write'],
    });
    await rest(app, 'POST /events/subscribe', {
      token: made.bot.token,
      body: { request_url: made.far.url, events: ['agent_session_stopped'] },
    });
    const other = await ws.bot();
    await ws.join(ws.general, made.bot, made.person, other);
    const channel = ws.general.id;
    const { ts: thread_ts } = await made.person.call('chat.postMessage', { channel, text: 'go' });
    const session = { channel_id: channel, thread_ts, status: 'processing' };
    expect(await made.bot.call('agents.sessions.setStatus', session)).toMatchObject({ ok: true });
    const recipients = { recipient_user_id: made.person.userId, recipient_team_id: ws.id };
    const started = await made.bot.call('chat.startStream', { channel, thread_ts, ...recipients });
    const at = { channel, ts: started.ts };
    await made.bot.call('chat.appendStream', { ...at, markdown_text: `<@${other.userId}> look` });
    await made.act('stop', { channel, thread_ts });
    const changes = async () =>
      (await ws.recorded('message')).filter(
        ({ subtype, message }) => subtype === 'message_changed' && (message as { ts: string }).ts === at.ts,
      );
    expect(await changes()).toMatchObject([
      {
        hidden: true,
        message: { text: `<@${other.userId}> look`, streaming_state: 'completed' },
        previous_message: { text: '', streaming_state: 'in_progress' },
      },
    ]);
    expect((await changes())[0]?.['message']).not.toHaveProperty('edited');
    expect(await ws.recorded('app_mention')).toHaveLength(1);
    await made.bot.call('chat.stopStream', { ...at, markdown_text: ` at it, <@${other.userId}>` });
    expect((await changes())[1]).toMatchObject({
      message: { text: `<@${other.userId}> look at it, <@${other.userId}>`, streaming_state: 'completed' },
    });
    expect(await ws.recorded('app_mention')).toHaveLength(1);
    expect(await made.bot.call('chat.stopStream', at)).toEqual(refused('message_not_in_streaming_state'));
  });

  it('expiry tells the whole message beside what it began as, and judges its mentions', async () => {
    const { ws, bot, channel, start } = await place();
    const other = await ws.bot();
    await ws.join(channel, other);
    const at = await start({ markdown_text: 'see' });
    await bot.call('chat.appendStream', { ...at, markdown_text: ` <@${other.userId}>` });
    app.clock.advance(301_000);
    const changed = async () => (await ws.recorded('message')).find(({ subtype }) => subtype === 'message_changed');
    await expect.poll(changed, { timeout: 5_000 }).toMatchObject({
      hidden: true,
      message: { text: `see <@${other.userId}>`, streaming_state: 'completed' },
      previous_message: { text: 'see', streaming_state: 'in_progress' },
    });
    await expect.poll(() => ws.recorded('app_mention')).toHaveLength(1);
  });

  it('ends with its app', async () => {
    const { ws, bot, start, newest } = await place();
    await start({ markdown_text: 'cut' });
    const admin = await ws.adminClient();
    const { status } = await rest(app, `DELETE /apps/${bot.appId}`, { token: admin.token });
    expect(status).toBeLessThan(300);
    await expect.poll(async () => (await newest()).streaming_state, { timeout: 5_000 }).toBe('completed');
  });

  it('never expires where SVC_STREAM_SECONDS is 0', async () => {
    const server = await TestApp.start({ SVC_STREAM_SECONDS: '0' });
    others.push(server);
    const { bot, start } = await place(server);
    const at = await start();
    server.clock.advance(90 * 86_400_000);
    expect(await bot.call('chat.appendStream', { ...at, markdown_text: 'late' })).toMatchObject({ ok: true });
  });
});
