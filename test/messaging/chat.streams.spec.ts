import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import type { ChatClient } from '../support/chat-client.js';

const refused = (error: string) => ({ ok: false, error });
const said = (text: string, style?: object) => ({ type: 'text', text, ...(style && { style }) });
const section = (...elements: object[]) => ({ type: 'rich_text_section', elements });
const task = (id: string, title: string, more: object = {}) => ({
  type: 'task_update',
  id,
  title,
  status: 'in_progress',
  ...more,
});

// docs/reference/chat.md#streams
describe('chat.startStream, chat.appendStream, chat.stopStream', () => {
  const app = useApp();

  const place = async (members: 'both' | 'bot' = 'both') => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const ann = await ws.jwtClient();
    const channel = await ws.channel({ members: members === 'both' ? [ann, bot] : [bot] });
    const recipients = { recipient_user_id: ann.userId, recipient_team_id: ws.id };
    const to = { channel: channel.id, ...recipients };
    const newest = async (client: ChatClient = ann) =>
      (await client.call('conversations.history', { channel: channel.id, limit: 1 })).messages[0];
    const start = async (args: object = {}): Promise<{ channel: string; ts: string }> => {
      const { ok: _, ...at } = await bot.call('chat.startStream', { ...to, ...args });
      return at;
    };
    const append = (at: object, ...chunks: object[]) => bot.call('chat.appendStream', { ...at, chunks });
    return { ws, bot, ann, channel, to, newest, start, append };
  };

  it('a stream begins empty, grows with each append, and is a message like others when it is stopped', async () => {
    const { bot, channel, to, newest } = await place();
    const started = await bot.call('chat.startStream', to);
    expect(started).toEqual({ ok: true, channel: channel.id, ts: expect.any(String) });
    const { ok: _, ...at } = started;
    const empty = await newest();
    expect(empty).toMatchObject({ text: '', streaming_state: 'in_progress', bot_id: bot.botId, ts: at.ts });
    expect(empty).not.toHaveProperty('blocks');
    expect(await bot.call('chat.appendStream', { ...at, markdown_text: 'Hello **wo' })).toEqual({ ok: true, ...at });
    const half = await newest();
    expect(half).toMatchObject({ text: 'Hello **wo', streaming_state: 'in_progress' });
    await bot.call('chat.appendStream', { ...at, markdown_text: 'rld**' });
    const whole = await newest();
    expect(whole).toMatchObject({
      text: 'Hello *world*',
      blocks: [{ type: 'rich_text', elements: [section(said('Hello '), said('world', { bold: true }))] }],
    });
    expect(whole.blocks[0].block_id).toBe(half.blocks[0].block_id);
    const blocks = [{ type: 'divider', block_id: 'end' }];
    const metadata = { event_type: 'done', event_payload: { n: 1 } };
    const stopped = await bot.call('chat.stopStream', { ...at, chunks: [], blocks, metadata });
    expect(stopped).toEqual({
      ok: true,
      ...at,
      message: { ...whole, blocks: [...whole.blocks, ...blocks], streaming_state: 'completed', metadata },
    });
    const { metadata: __, ...shown } = stopped.message;
    expect(await newest()).toEqual(shown);
    expect(stopped.message).not.toHaveProperty('edited');
    const notOpen = refused('message_not_in_streaming_state');
    expect(await bot.call('chat.appendStream', { ...at, markdown_text: 'x' })).toEqual(notOpen);
    expect(await bot.call('chat.stopStream', at)).toEqual(notOpen);
    const updated = await bot.call('chat.update', { ...at, text: 'edited' });
    expect(updated.message).toMatchObject({ text: 'edited', streaming_state: 'completed' });
    expect(await bot.call('chat.delete', at)).toMatchObject({ ok: true });
    expect(await bot.call('chat.appendStream', { ...at, markdown_text: 'x' })).toEqual(refused('message_not_found'));
  });

  it('an append adds the text first, then its chunks; tasks are cards that grow at their place', async () => {
    const { bot, start, append, newest } = await place();
    const at = await start({ markdown_text: 'One' });
    const sources = [{ type: 'url', url: 'https://example.com', text: 'Example' }];
    await bot.call('chat.appendStream', {
      ...at,
      markdown_text: ' and a half',
      chunks: [task('a', 'Search', { details: 'first ', sources }), { type: 'markdown_text', text: 'Two' }],
    });
    await append(at, task('a', 'Searched', { status: 'complete', details: 'second', output: 'found' }));
    const { text, blocks } = await newest();
    expect(text).toBe('One and a half\nTwo Searched');
    const rich = (words: string) => ({ type: 'rich_text', elements: [section(said(words))] });
    const id = expect.any(String);
    expect(blocks).toEqual([
      { block_id: id, ...rich('One and a half') },
      {
        type: 'task_card',
        block_id: id,
        task_id: 'a',
        title: 'Searched',
        status: 'complete',
        details: rich('first second'),
        output: rich('found'),
        sources,
      },
      { block_id: id, ...rich('Two') },
    ]);
  });

  it('tasks stand in one plan where plan is asked for, or a title came', async () => {
    const { start, append, newest } = await place();
    const plan = await start({ task_display_mode: 'plan', chunks: [task('a', 'A')] });
    await append(plan, { type: 'markdown_text', text: 'so' }, task('b', 'B'), { type: 'markdown_text', text: 'on' });
    const cards = (...titles: string[]) =>
      titles.map((title) => expect.objectContaining({ type: 'task_card', title, status: 'in_progress' }));
    const planned = await newest();
    expect(planned.blocks).toMatchObject([
      { type: 'plan', title: '', tasks: cards('A', 'B') },
      { type: 'rich_text', elements: [section(said('soon'))] },
    ]);
    await append(plan, { type: 'plan_update', title: 'The plan' });
    expect((await newest()).blocks[0]).toEqual({ ...planned.blocks[0], title: 'The plan' });
    const timeline = await start({ chunks: [{ type: 'markdown_text', text: 'x' }, task('a', 'A'), task('b', 'B')] });
    expect((await newest()).blocks).toMatchObject([{ type: 'rich_text' }, ...cards('A', 'B')]);
    await append(timeline, { type: 'plan_update', title: 'Now' }, task('c', 'C'));
    expect((await newest()).blocks).toMatchObject([
      { type: 'rich_text' },
      { type: 'plan', title: 'Now', tasks: cards('A', 'B', 'C') },
    ]);
  });

  it('a refused call adds nothing, and tells the first offence', async () => {
    const { bot, start, newest } = await place();
    const at = await start({ markdown_text: 'so far' });
    const before = await newest();
    const append = (args: object) => bot.call('chat.appendStream', { ...at, ...args });
    const pointer = (error: string, at: string) =>
      expect.objectContaining({
        ...refused(error),
        response_metadata: { messages: [expect.stringContaining(`[json-pointer:${at}]`)] },
      });
    const long = 'x'.repeat(257);
    const good = { type: 'markdown_text', text: 'good' };
    const wrong: [object, string][] = [
      [{ type: 'nothing' }, '/chunks/1/type'],
      [{ type: 'markdown_text' }, '/chunks/1/text'],
      [task('', 'a'), '/chunks/1/id'],
      [task('a', long), '/chunks/1/title'],
      [task('a', 'a', { details: long }), '/chunks/1/details'],
      [task('a', 'a', { output: 7 }), '/chunks/1/output'],
      [task('a', 'a', { status: 'done' }), '/chunks/1/status'],
      [task('a', 'a', { sources: [{ type: 'link' }] }), '/chunks/1/sources/0'],
      [{ type: 'plan_update' }, '/chunks/1/title'],
      [{ type: 'blocks' }, '/chunks/1/blocks'],
    ];
    for (const [chunk, where] of wrong) {
      expect(await append({ chunks: [good, chunk] })).toEqual(pointer('invalid_chunks', where));
    }
    for (const none of ['x', { type: 'markdown_text', text: 'good' }]) {
      expect(await append({ chunks: none })).toEqual(pointer('invalid_chunks', '/chunks'));
    }
    expect(await append({ chunks: [good, { type: 'blocks', blocks: [{ type: 'header' }] }] })).toEqual(
      pointer('invalid_blocks', '/chunks/1/blocks/0'),
    );
    const tooLong = 'x'.repeat(12_001);
    expect(await append({ markdown_text: tooLong, chunks: 'x' })).toMatchObject(refused('msg_too_long'));
    expect(await append({ chunks: [{ type: 'markdown_text', text: tooLong }] })).toEqual(refused('msg_too_long'));
    const dividers = (n: number) => ({
      type: 'blocks',
      blocks: Array.from({ length: n }, () => ({ type: 'divider' })),
    });
    expect(await append({ chunks: [dividers(26), dividers(25)] })).toEqual(refused('msg_blocks_too_many'));
    for (const none of [{}, { markdown_text: '' }, { chunks: [] }]) {
      expect(await append(none)).toEqual(refused('no_text'));
    }
    expect(await newest()).toEqual(before);
    expect(await append({ chunks: [dividers(50)] })).toMatchObject({ ok: true });
    expect(await append({ chunks: [dividers(1)] })).toEqual(refused('msg_blocks_too_many'));
  });

  it('the blocks of a stream have at most 100,000 characters', async () => {
    const { bot, start, newest } = await place();
    const at = await start();
    const text = `${'word '.repeat(2_399)}\n`;
    for (let i = 0; i < 8; i++) await bot.call('chat.appendStream', { ...at, markdown_text: text });
    const before = await newest();
    expect(await bot.call('chat.appendStream', { ...at, markdown_text: text })).toEqual(refused('msg_blocks_too_long'));
    expect(await newest()).toEqual(before);
  });

  it('chat.startStream tells each error in its order', async () => {
    const { ws, bot, ann, channel, to } = await place();
    const start = (args: object, client = bot) => client.call('chat.startStream', { ...to, ...args });
    expect(await start({ channel: '' })).toMatchObject(refused('invalid_arguments'));
    expect(await start({ task_display_mode: 'grid', markdown_text: 'x'.repeat(12_001) })).toMatchObject(
      refused('invalid_arguments'),
    );
    expect(await start({ channel: 'C0NOWHERE01', chunks: [{}] })).toMatchObject(refused('invalid_chunks'));
    expect(await start({ channel: 'C0NOWHERE01' })).toEqual(refused('channel_not_found'));
    const stranger = await ws.bot({ scopes: ['chat:write'] });
    expect(await start({ thread_ts: '1.5' }, stranger)).toEqual(refused('not_in_channel'));
    for (const thread_ts of ['x', '1.5']) {
      expect(await start({ thread_ts, recipient_user_id: '' })).toEqual(refused('message_not_found'));
    }
    const joined = await ws.system(channel, ann, 'channel_join');
    expect(await start({ thread_ts: joined, recipient_user_id: '' })).toEqual(refused('cannot_reply_to_message'));
    expect(await start({ recipient_user_id: '', recipient_team_id: '' })).toEqual(refused('missing_recipient_user_id'));
    expect(await start({ recipient_user_id: 'U0NOBODY001', recipient_team_id: '' })).toEqual(
      refused('missing_recipient_team_id'),
    );
    expect(await start({ recipient_user_id: 'U0NOBODY001', recipient_team_id: 'T0OTHER0001' })).toEqual(
      refused('user_not_found'),
    );
    expect(await start({ recipient_team_id: 'T0OTHER0001' })).toEqual(refused('team_not_found'));
    await ws.archive(channel);
    expect(await start({ thread_ts: 'x' })).toEqual(refused('is_archived'));
  });

  it('is in a thread in direct messages, needs no recipients in an im, and the messages tab', async () => {
    const { ws, bot, ann, to } = await place();
    const im = await ws.direct(ann, bot);
    const root = await ann.call('chat.postMessage', { channel: im.id, text: 'hi' });
    const mpim = await ws.direct(ann, bot, await ws.user());
    expect(await bot.call('chat.startStream', { ...to, channel: im.id })).toMatchObject(refused('invalid_arguments'));
    expect(await bot.call('chat.startStream', { ...to, channel: mpim.id })).toMatchObject(refused('invalid_arguments'));
    const there = await ann.call('chat.postMessage', { channel: mpim.id, text: 'hi' });
    expect(await bot.call('chat.startStream', { channel: mpim.id, thread_ts: there.ts })).toEqual(
      refused('missing_recipient_user_id'),
    );
    const reply = await ann.call('chat.postMessage', { channel: im.id, text: 'more', thread_ts: root.ts });
    const { ts } = await bot.call('chat.startStream', { channel: im.id, thread_ts: reply.ts, username: 'Else' });
    const { messages } = await ann.call('conversations.replies', { channel: im.id, ts: root.ts });
    expect(messages[0]).toMatchObject({ reply_count: 2, latest_reply: ts });
    expect(messages[2]).toMatchObject({ ts, thread_ts: root.ts, username: 'Else', streaming_state: 'in_progress' });
    const shut = await ws.bot({ features: { app_home: { messages_tab_enabled: false } } });
    const closed = await ws.direct(ann, shut);
    const first = await ann.call('chat.postMessage', { channel: closed.id, text: 'hi' });
    expect(await shut.call('chat.startStream', { channel: closed.id, thread_ts: first.ts })).toEqual(
      refused('messages_tab_disabled'),
    );
  });

  it('is for the bot that started it, with chat:write', async () => {
    const { ws, bot, ann, channel, start } = await place();
    const at = await start({ markdown_text: 'mine' });
    const text = { markdown_text: 'x' };
    const other = await ws.bot();
    await ws.join(channel, other);
    for (const method of ['chat.appendStream', 'chat.stopStream']) {
      expect(await other.call(method, { ...at, ...text })).toEqual(refused('message_not_owned_by_app'));
      const post = await bot.call('chat.postMessage', { channel: channel.id, text: 'a post' });
      expect(await bot.call(method, { channel: channel.id, ts: post.ts, ...text })).toEqual(
        refused('message_not_in_streaming_state'),
      );
      expect(await bot.call(method, { ...at, ts: 'x', ...text })).toEqual(refused('message_not_found'));
      expect(await bot.call(method, { ...at, channel: 'C0NOWHERE01', ...text })).toEqual(refused('channel_not_found'));
    }
    const mute = await ws.tokenOf(bot, []);
    for (const method of ['chat.startStream', 'chat.appendStream', 'chat.stopStream']) {
      for (const person of [ann, await ws.userClient()]) {
        expect(await person.call(method, { ...at, ...text })).toEqual(refused('not_allowed_token_type'));
      }
      expect(await mute.call(method, at)).toMatchObject({ error: 'missing_scope', needed: 'chat:write' });
    }
  });

  it('cannot be edited or deleted while it is open, and can be reacted to and answered', async () => {
    const { ws, bot, ann, start, newest } = await place();
    const at = await start({ markdown_text: 'growing' });
    expect(await bot.call('chat.update', { ...at, text: 'x' })).toEqual(refused('streaming_state_conflict'));
    expect(await ann.call('chat.update', { ...at, text: 'x' })).toEqual(refused('cant_update_message'));
    const admin = await ws.adminClient();
    await ws.join({ id: at.channel }, admin);
    for (const client of [bot, admin]) {
      expect(await client.call('chat.delete', at)).toEqual(refused('cant_delete_message'));
    }
    await ann.call('reactions.add', { channel: at.channel, timestamp: at.ts, name: 'tada' });
    await ann.call('chat.postMessage', { channel: at.channel, thread_ts: at.ts, text: 'nice' });
    await bot.call('chat.appendStream', { ...at, markdown_text: ' on' });
    const { message } = await bot.call('chat.stopStream', at);
    expect(message).toMatchObject({ text: 'growing on', reply_count: 1, reactions: [{ name: 'tada', count: 1 }] });
    expect((await newest()).text).toBe('growing on');
  });

  it('expires 300 seconds after it was started, however much was appended', async () => {
    const { ws, bot, start, newest } = await place();
    const at = await start({ markdown_text: 'slow' });
    app.clock.advance(299_000);
    expect(await bot.call('chat.appendStream', { ...at, markdown_text: 'er' })).toMatchObject({ ok: true });
    app.clock.advance(2_000);
    for (const method of ['chat.appendStream', 'chat.stopStream']) {
      expect(await bot.call(method, { ...at, markdown_text: 'x' })).toEqual(refused('message_not_in_streaming_state'));
    }
    expect(await newest()).toMatchObject({ text: 'slower', streaming_state: 'completed' });
    const second = await start();
    app.clock.advance(301_000);
    await expect.poll(async () => (await newest()).streaming_state).toBe('completed');
    expect(await bot.call('chat.update', { ...second, text: 'over' })).toMatchObject({ ok: true });
    expect((await ws.recorded('message')).filter(({ subtype }) => subtype === 'message_changed')).toHaveLength(3);
  });

  it('ends with the last token of its app', async () => {
    const { ws, bot, start, newest } = await place();
    await start({ markdown_text: 'cut' });
    await ws.revoke(bot);
    await expect.poll(async () => (await newest()).streaming_state).toBe('completed');
  });

  it('appends at once land once and whole each, and one beside the stop is in the message or refused', async () => {
    const { bot, start, newest } = await place();
    const at = await start();
    const words = Array.from({ length: 20 }, (_, i) => `<${i}>`);
    const [stop, ...appends] = await Promise.all([
      bot.call('chat.appendStream', { ...at, markdown_text: '|' }).then(() => bot.call('chat.stopStream', at)),
      ...words.map((text) => bot.call('chat.appendStream', { ...at, markdown_text: text })),
    ]);
    expect(stop).toMatchObject({ ok: true });
    const { text } = await newest();
    const acknowledged = words.filter((_, i) => appends[i].ok);
    for (const answer of appends) if (!answer.ok) expect(answer).toEqual(refused('message_not_in_streaming_state'));
    expect(text.match(/<\d+>/g)?.sort()).toEqual(acknowledged.sort());
    expect(stop.message.text).toBe(text);
  });

  it('the official client streams with its buffer, and late when nothing was flushed', async () => {
    const { ws, bot, ann, channel, to: recipients } = await place();
    const root = await ann.call('chat.postMessage', { channel: channel.id, text: 'help' });
    const to = { ...recipients, thread_ts: root.ts as string };
    const newest = async () =>
      (await ann.call('conversations.replies', { channel: channel.id, ts: root.ts })).messages.at(-1);
    const client = bot.webClient();
    const streamer = client.chatStream({ ...to, buffer_size: 8 });
    await streamer.append({ markdown_text: 'short' });
    await streamer.append({ markdown_text: ' and **longer**' });
    await streamer.append({ chunks: [{ type: 'task_update', id: 'a', title: 'Work', status: 'complete' }] });
    const stopped = await streamer.stop({ blocks: [{ type: 'divider' }] });
    expect(stopped.ts).toBe(streamer.ts);
    expect(await newest()).toMatchObject({
      text: 'short and *longer* Work',
      blocks: [{ type: 'rich_text' }, { type: 'task_card' }, { type: 'divider' }],
      streaming_state: 'completed',
    });
    await client.chatStream({ ...to, buffer_size: 1_000 }).stop({ markdown_text: 'at once' });
    expect(await newest()).toMatchObject({ text: 'at once', streaming_state: 'completed' });
    expect(await ws.recorded('message')).toHaveLength(5);
    expect(ann.userId).toBe(to.recipient_user_id);
  });
});
