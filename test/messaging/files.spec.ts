import { describe, expect, it } from 'vitest';
import { Db } from '../../src/kernel/database/db.js';
import { StoredFile } from '../../src/messaging/files/file.entity.js';
import { SWEEP_FILES } from '../../src/messaging/files/files.queries.js';
import { useApp } from '../support/app.js';
import type { ChatClient } from '../support/chat-client.js';
import { changeRows } from '../support/rows.js';

const refused = (error: string) => ({ ok: false, error });

describe('files', () => {
  const app = useApp();

  const place = (client: ChatClient, args: object = {}) =>
    client.call('files.getUploadURLExternal', { filename: 'a.txt', length: 5, ...args });
  const put = async (url: string, body: string | Uint8Array<ArrayBuffer> | FormData, type?: string) => {
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
    const response = await fetch(url, { method: 'POST', body, headers });
    return [response.status, await response.text()] as const;
  };
  /** An uploaded file that is not completed yet. */
  const uploaded = async (client: ChatClient): Promise<string> => {
    const { upload_url: url, file_id: id } = await place(client);
    expect(await put(url, new TextEncoder().encode('hello'), 'application/octet-stream')).toEqual([200, 'OK - 5']);
    return id as string;
  };
  const complete = (client: ChatClient, id: string, args: object = {}) =>
    client.call('files.completeUploadExternal', { files: [{ id }], ...args });

  it('are uploaded by the official client: filesUploadV2', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [bot] });
    const answer = await bot.webClient().filesUploadV2({
      channel_id: channel.id,
      initial_comment: 'look',
      file: Buffer.from('a,b\n1,2\n'),
      filename: 'table.csv',
      title: 'A table',
    });
    expect(answer.ok).toBe(true);
    const [message] = (await bot.call('conversations.history', { channel: channel.id })).messages;
    expect(message).toMatchObject({ subtype: 'file_share', text: 'look', upload: false, bot_id: bot.botId });
    const [file] = message.files;
    expect(file).toMatchObject({
      name: 'table.csv',
      title: 'A table',
      mimetype: 'text/csv',
      filetype: 'csv',
      size: 8,
      user: bot.userId,
      is_public: true,
      channels: [channel.id],
      shares: { public: { [channel.id]: [{ ts: message.ts, channel_name: channel.name }] } },
    });
    expect(file).toMatchObject({ mode: 'snippet', lines: 2, lines_more: 0, preview: 'a,b\n1,2' });
    const info = await bot.call('files.info', { file: file.id });
    expect(info).toMatchObject({ comments: [], paging: { count: 100, total: 0, page: 1, pages: 0 } });
    expect(info.file).toEqual(file);
    expect((await ws.recorded()).map(({ type }) => type)).toEqual(['file_created', 'message', 'file_shared']);
    expect(await bot.call('search.messages', { query: 'look' })).toMatchObject({ messages: { total: 1 } });
  });

  it('say what their bytes say: the first lines of a text, the size of a picture, binary for the rest', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const fileOf = async (filename: string, bytes: Buffer) => {
      const { upload_url: url, file_id: id } = await place(bot, { filename, length: bytes.length });
      await put(url, new Uint8Array(bytes), 'application/octet-stream');
      return (await complete(bot, id as string)).files[0];
    };
    const lines = Array.from({ length: 12 }, (_, i) => `line ${i + 1}\n`).join('');
    expect(await fileOf('notes.md', Buffer.from(lines))).toMatchObject({
      mode: 'snippet',
      lines: 12,
      lines_more: 7,
      preview: 'line 1\nline 2\nline 3\nline 4\nline 5',
      preview_is_truncated: true,
    });
    expect(await fileOf('not-text.txt', Buffer.from([0xff, 0, 1]))).toMatchObject({ mode: 'hosted' });
    const png = Buffer.alloc(33);
    png.write('\u0089PNG', 'latin1');
    png.writeUInt32BE(1000, 16);
    png.writeUInt32BE(500, 20);
    const picture = await fileOf('cat.png', png);
    expect(picture).toMatchObject({
      mode: 'hosted',
      original_w: 1000,
      original_h: 500,
      thumb_360_w: 360,
      thumb_360_h: 180,
    });
    expect(picture.thumb_64).toMatch(/\/files-tmb\/.*\/cat_64\.png$/);
    expect(picture).toHaveProperty('thumb_960');
    expect(picture).not.toHaveProperty('thumb_1024');
    const thumb = await fetch(picture.thumb_64 as string, { headers: { authorization: `Bearer ${bot.token}` } });
    expect([thumb.status, thumb.headers.get('content-type')]).toEqual([200, 'image/png']);
    const jpeg = Buffer.from('ffd8ffe000040000ffc00011080010002003', 'hex');
    expect(await fileOf('a.jpg', jpeg)).toMatchObject({ original_w: 32, original_h: 16 });
    const gif = Buffer.from('474946383961050003000000', 'hex');
    expect(await fileOf('a.gif', gif)).toMatchObject({ original_w: 5, original_h: 3 });
    for (const name of ['a.bin', 'a.xyz', 'a', 'a.constructor', 'a.dwg']) {
      const binary = {
        mimetype: 'application/octet-stream',
        filetype: 'binary',
        pretty_type: 'Binary',
        mode: 'hosted',
      };
      expect(await fileOf(name, gif), name).toMatchObject(binary);
    }
  });

  it('ignore blocks beside a comment, and are shared with a user in their direct message', async () => {
    const ws = await app.workspace();
    const [bot, ann] = [await ws.bot(), await ws.userClient()];
    const blocks = [{ type: 'nothing' }];
    const commented = await complete(bot, await uploaded(bot), {
      channel_id: ann.userId,
      initial_comment: 'hi',
      blocks,
    });
    const [im] = commented.files[0].ims;
    const [message] = (await ann.call('conversations.history', { channel: im })).messages;
    expect(message).toMatchObject({ subtype: 'file_share', text: 'hi', files: [{ ims: [im] }] });
    expect(message).not.toHaveProperty('blocks');
    const nobody = await complete(bot, await uploaded(bot), { channels: 'U0NOBODY001' });
    expect(nobody).toEqual(refused('channel_not_found'));
  });

  it('accept bytes once, as multipart or raw, and no more than announced', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const form = new FormData();
    form.append('body', new Blob(['hey']), 'x');
    const { upload_url: url } = await place(bot);
    expect(await put(url, form)).toEqual([200, 'OK - 3']);
    expect((await put(url, form))[0]).toBe(409);
    const { upload_url: tight } = await place(bot, { length: 2 });
    expect((await put(tight, form))[0]).toBe(413);
    expect((await put(tight, 'ab', 'application/x-www-form-urlencoded'))[0]).toBe(200);
    expect((await put(`${app.baseUrl}/upload/v1/${'x'.repeat(48)}`, 'ab'))[0]).toBe(404);
    const { upload_url: late } = await place(bot);
    app.clock.advance(11 * 60_000);
    expect((await put(late, 'ab'))[0]).toBe(404);
  });

  it('files.getUploadURLExternal answers each error in the documented order', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    expect(await place(bot, { filename: '' })).toMatchObject(refused('missing_argument'));
    for (const length of [0, -1, 'x']) expect(await place(bot, { length })).toMatchObject(refused('invalid_arguments'));
    expect(await place(bot, { length: 10 * 1024 * 1024 + 1 })).toEqual(refused('file_upload_size_restricted'));
    expect(await place(bot, { alt_text: 'x'.repeat(1001) })).toEqual(refused('alt_txt_too_large'));
    // the limit of a workspace includes announced files and excludes deleted ones
    const { file_id: id } = await place(bot, { length: 1 });
    await changeRows(app.store, StoredFile, { id }, { size: 1024 ** 3 - 5 });
    expect(await place(bot, { length: 6 })).toEqual(refused('file_upload_size_restricted'));
    expect(await place(bot, { length: 5 })).toMatchObject({ ok: true });
    expect(await place(await (await app.workspace()).bot(), { length: 6 })).toMatchObject({ ok: true });
    const mute = await ws.bot({ scopes: [] });
    expect(await place(mute)).toMatchObject({ error: 'missing_scope', needed: 'files:write' });
  });

  it('files.completeUploadExternal answers each error in the documented order, and completes all files or none', async () => {
    const ws = await app.workspace();
    const [bot, other] = [await ws.bot(), await ws.bot()];
    const channel = await ws.channel({ members: [bot] });
    const foreign = await ws.channel();
    const id = await uploaded(bot);
    const { file_id: empty } = await place(bot);
    expect(await complete(bot, id, { files: [] })).toMatchObject(refused('invalid_arguments'));
    const many = Array.from({ length: 101 }, (_, i) => `C0X${i}`).join(',');
    for (const file of ['F0NOTHING01', empty])
      expect(await complete(bot, file, { channels: many })).toEqual(refused('file_not_found'));
    expect(await complete(other, id)).toEqual(refused('file_not_found'));
    expect(await complete(bot, id, { channels: many })).toEqual(refused('channels_limit_exceeded'));
    expect(await complete(bot, id, { channel_id: '#general' })).toEqual(refused('invalid_channel'));
    expect(await complete(bot, id, { channel_id: 'C0NOWHERE01' })).toEqual(refused('channel_not_found'));
    expect(await complete(bot, id, { channels: `${channel.id},${foreign.id}` })).toEqual(refused('not_in_channel'));
    const blocks = [{ type: 'nothing' }];
    expect(await complete(bot, id, { channel_id: channel.id, blocks })).toMatchObject(refused('invalid_blocks'));
    expect(await complete(bot, id)).toMatchObject({ ok: true, files: [{ id, is_public: false, channels: [] }] });
    expect(await complete(bot, id)).toEqual(refused('file_not_found'));
    const late = await uploaded(bot);
    await ws.archive(channel);
    expect(await complete(bot, late, { channel_id: channel.id, blocks })).toEqual(refused('is_archived'));
  });

  it('are shared in a thread and in several conversations, whose members get files.info and the bytes', async () => {
    const ws = await app.workspace();
    const [bot, ann, bob] = [await ws.bot(), await ws.userClient(), await ws.userClient()];
    const [one, two] = [
      await ws.channel({ isPrivate: true, members: [bot, ann] }),
      await ws.channel({ isPrivate: true, members: [bot] }),
    ];
    const { ts } = await ann.call('chat.postMessage', { channel: one.id, text: 'parent' });
    const id = await uploaded(bot);
    const { files } = await complete(bot, id, { channels: `${one.id},${two.id}`, thread_ts: ts });
    expect(files[0]).toMatchObject({ groups: [one.id, two.id], is_public: false });
    const replies = (await ann.call('conversations.replies', { channel: one.id, ts })).messages;
    expect(replies[1]).toMatchObject({ subtype: 'file_share', files: [{ id }], thread_ts: ts });
    expect((await ann.call('files.info', { file: id })).file.shares).toEqual({
      private: { [one.id]: [expect.objectContaining({ ts: replies[1].ts, thread_ts: ts })] },
    });
    expect(await bob.call('files.info', { file: id })).toEqual(refused('file_not_found'));

    const read = async (client?: ChatClient) => {
      const response = await fetch(
        files[0].url_private as string,
        client ? { headers: { authorization: `Bearer ${client.token}` } } : {},
      );
      return response;
    };
    const got = await read(ann);
    expect([got.status, await got.text()]).toEqual([200, 'hello']);
    expect(got.headers.get('content-disposition')).toMatch(/^attachment/);
    expect(got.headers.get('x-content-type-options')).toBe('nosniff');
    const download = await fetch(files[0].url_private_download as string, {
      headers: { authorization: `Bearer ${ann.token}` },
    });
    expect(await download.text()).toBe('hello');
    expect((await read()).status).toBe(401);
    expect((await read(bob)).status).toBe(404);
    expect((await read(await ws.tokenOf(bot, ['chat:write']))).status).toBe(404);
  });

  it('are deleted with their bytes when the upload is not completed within an hour', async () => {
    const bot = await (await app.workspace()).bot();
    const id = await uploaded(bot);
    app.clock.advance(61 * 60_000);
    expect(await complete(bot, id)).toEqual(refused('file_not_found'));
    const db = app.nest.get(Db);
    const kept = async (): Promise<number> => (await db.readText('SELECT 1 FROM files WHERE id = $1', [id])).length;
    expect(await kept()).toBe(1);
    await db.run(SWEEP_FILES, [new Date(app.clock.wallMs())]);
    expect(await kept()).toBe(0);
  });

  it('files.delete leaves a tombstone in messages, and no readable content', async () => {
    const ws = await app.workspace();
    const [bot, ann] = [await ws.bot(), await ws.userClient()];
    const channel = await ws.channel({ members: [bot, ann] });
    const id = await uploaded(bot);
    await complete(bot, id, { channel_id: channel.id });
    const remove = (client: ChatClient, file = id) => client.call('files.delete', { file });
    expect(await remove(ann, '')).toMatchObject(refused('invalid_arguments'));
    expect(await remove(ann, 'F0NOTHING01')).toEqual(refused('file_not_found'));
    expect(await remove(ann)).toEqual(refused('cant_delete_file'));
    expect(await remove(bot)).toEqual({ ok: true });
    expect(await remove(bot)).toEqual(refused('file_deleted'));
    expect(await bot.call('files.info', { file: id })).toEqual(refused('file_deleted'));
    const [message] = (await bot.call('conversations.history', { channel: channel.id })).messages;
    expect(message.files).toEqual([{ id, mode: 'tombstone' }]);
    expect(await ws.recorded('file_deleted')).toEqual([
      { type: 'file_deleted', file_id: id, channel_ids: [channel.id], event_ts: expect.any(String) },
    ]);
    const second = await uploaded(bot);
    await complete(bot, second, { channel_id: channel.id });
    expect(await remove(await ws.adminClient(), second)).toEqual({ ok: true });
  });
});
