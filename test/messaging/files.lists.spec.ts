import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import type { ChatClient } from '../support/chat-client.js';
import { missing } from '../support/conversations.js';

const refused = (error: string) => ({ ok: false, error });

// docs/reference/chat.md#files
describe('files of a workspace', () => {
  const app = useApp();

  const upload = async (client: ChatClient, filename: string, args: object = {}): Promise<string> => {
    const slot = await client.call('files.getUploadURLExternal', { filename, length: 5 });
    await fetch(slot.upload_url as string, { method: 'POST', body: new TextEncoder().encode('hello') });
    const { title, ...rest } = args as { title?: string };
    const made = await client.call('files.completeUploadExternal', { files: [{ id: slot.file_id, title }], ...rest });
    expect(made).toMatchObject({ ok: true });
    return slot.file_id as string;
  };
  const idsOf = (answer: { files: { id: string }[] }): string[] => answer.files.map(({ id }) => id);

  it('files.list shows those that the caller may see, by channel, user, time and kind, the newest first', async () => {
    const ws = await app.workspace();
    const [bot, other] = [await ws.bot(), await ws.bot()];
    const [open, closed] = [
      await ws.channel({ members: [bot] }),
      await ws.channel({ isPrivate: true, members: [bot] }),
    ];
    const picture = await upload(bot, 'a.PNG', { channel_id: open.id });
    const text = await upload(bot, 'b.txt', { channel_id: closed.id });
    const own = await upload(bot, 'c.pdf');
    const all = await bot.call('files.list');
    expect(idsOf(all)).toEqual([own, text, picture]);
    expect(all.paging).toEqual({ count: 100, total: 3, page: 1, pages: 1 });
    expect(all.files[1]).toEqual((await bot.call('files.info', { file: text })).file);
    expect(idsOf(await other.call('files.list'))).toEqual([picture]);
    expect(idsOf((await bot.webClient().files.list({ channel: closed.id })) as never)).toEqual([text]);
    expect(idsOf(await bot.call('files.list', { user: other.userId }))).toEqual([]);
    const kinds: [string, string[]][] = [
      ['images', [picture]],
      ['pdfs', [own]],
      ['snippets', [text]],
      ['images,snippets', [text, picture]],
      ['zips', []],
      ['gdocs,spaces', []],
      ['all,pdfs', [own, text, picture]],
    ];
    for (const [types, ids] of kinds) expect(idsOf(await bot.call('files.list', { types })), types).toEqual(ids);
    expect(idsOf(await bot.call('files.list', { ts_to: '1000000000' }))).toEqual([]);
    expect(idsOf(await bot.call('files.list', { ts_from: '1000000000' }))).toHaveLength(3);
    const second = await bot.call('files.list', { count: 2, page: 2 });
    expect([idsOf(second), second.paging]).toEqual([[picture], { count: 2, total: 3, page: 2, pages: 2 }]);
    const beyond = await bot.call('files.list', { page: 9 });
    expect([idsOf(beyond), beyond.paging]).toEqual([[], { count: 100, total: 3, page: 9, pages: 1 }]);
    expect((await bot.call('files.list', { count: 1_000 })).paging.count).toBe(1_000);
    await bot.call('files.delete', { file: own });
    expect(idsOf(await bot.call('files.list'))).toEqual([text, picture]);
    expect(await bot.call('files.list', { user: 'U0NOBODY001', types: 'x' })).toEqual(refused('user_not_found'));
    expect(await bot.call('files.list', { types: 'x', channel: 'C0NOWHERE01' })).toEqual(refused('unknown_type'));
    expect(await other.call('files.list', { channel: closed.id })).toEqual(refused('channel_not_found'));
  });

  it('files.sharedPublicURL gives the bytes to anyone until files.revokePublicURL', async () => {
    const ws = await app.workspace();
    const person = await ws.userClient();
    const bot = await ws.bot();
    const id = await upload(person, 'a.txt', { channel_id: ws.general.id });
    expect(await bot.call('files.sharedPublicURL', { file: id })).toEqual(refused('not_allowed_token_type'));
    expect(await person.call('files.sharedPublicURL')).toEqual(missing('file'));
    expect(await person.call('files.sharedPublicURL', { file: 'F0NOWHERE01' })).toEqual(refused('file_not_found'));
    const { file } = await person.call('files.sharedPublicURL', { file: id });
    expect(file.public_url_shared).toBe(true);
    const url = file.permalink_public as string;
    expect(url).toMatch(new RegExp(`^${app.baseUrl}/files-public/${ws.id}-${id}-[0-9a-f]{10}$`));
    const got = await fetch(url);
    expect([got.status, await got.text()]).toEqual([200, 'hello']);
    expect(got.headers.get('x-content-type-options')).toBe('nosniff');
    expect(got.headers.get('content-disposition')).toBe(`attachment; filename*=UTF-8''a.txt`);
    expect((await person.call('files.sharedPublicURL', { file: id })).file.permalink_public).toBe(url);
    expect(await ws.recorded('file_public')).toMatchObject([{ file_id: id, user_id: person.userId, file: { id } }]);
    expect((await fetch(url.slice(0, -1) + (url.endsWith('0') ? '1' : '0'))).status).toBe(404);
    const revoked = await bot.call('files.revokePublicURL', { file: id });
    expect(revoked.file).toMatchObject({ public_url_shared: false });
    expect(revoked.file).not.toHaveProperty('permalink_public');
    expect((await fetch(url)).status).toBe(404);
    const again = (await person.call('files.sharedPublicURL', { file: id })).file.permalink_public as string;
    expect(again).not.toBe(url);
    await person.call('files.delete', { file: id });
    expect((await fetch(again)).status).toBe(404);
    expect(await person.call('files.sharedPublicURL', { file: id })).toEqual(refused('file_not_found'));
  });

  it('search.files finds them by name and title, search.all with messages', async () => {
    const ws = await app.workspace();
    const [ann, bob] = [await ws.userClient(), await ws.userClient()];
    const [open, closed] = [
      await ws.channel({ members: [ann] }),
      await ws.channel({ isPrivate: true, members: [ann] }),
    ];
    const report = await upload(ann, 'report.txt', { channel_id: open.id });
    const budget = await upload(ann, 'b.txt', { channel_id: closed.id, title: 'Quarterly REPORT' });
    await ws.message({ channel: open, text: 'the report is there' });
    const find = async (client: ChatClient, query: string, args: object = {}): Promise<string[]> => {
      const { files } = await client.call('search.files', { query, ...args });
      expect(files).toMatchObject({ total: expect.any(Number), pagination: {}, paging: { page: 1 } });
      return files.matches.map(({ id }: { id: string }) => id);
    };
    expect(await find(ann, 'report')).toEqual([budget, report]);
    expect(await find(ann, 'report', { sort_dir: 'asc' })).toEqual([report, budget]);
    expect(await find(ann, 'report -quarterly')).toEqual([report]);
    expect(await find(ann, `in:<#${closed.id}>`)).toEqual([budget]);
    expect(await find(ann, `report -in:<#${closed.id}>`)).toEqual([report]);
    expect(await find(ann, 'report from:me')).toEqual([budget, report]);
    expect(await find(bob, 'report from:me')).toEqual([]);
    expect(await find(ann, 'report before:2020-01-01')).toEqual([]);
    expect(await find(ann, 'report has:link')).toEqual([]);
    expect(await find(bob, 'report')).toEqual([report]);
    const all = await bob.call('search.all', { query: 'report' });
    expect(all).toMatchObject({ query: 'report', messages: { total: 1 }, files: { total: 1 } });
    expect(all.messages.matches[0].text).toBe('the report is there');
    const page = await ann.call('search.all', { query: 'report', count: 1, cursor: '*' });
    const next = await ann.call('search.all', {
      query: 'report',
      count: 1,
      cursor: page.response_metadata.next_cursor,
    });
    expect([next.messages.matches, next.files.matches, next.response_metadata.next_cursor]).toMatchObject([
      [],
      [{ id: report }],
      '',
    ]);
    expect(await ann.call('search.files', { query: ' ' })).toMatchObject(refused('no_query'));
    expect(await ann.call('search.all')).toMatchObject(refused('no_query'));
  });
});
