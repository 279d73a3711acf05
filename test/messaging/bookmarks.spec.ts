import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { missing, recentSeconds } from '../support/conversations.js';

const refused = (error: string) => ({ ok: false, error });

// docs/reference/chat.md#bookmarks
describe('bookmarks', () => {
  const app = useApp();

  it('bookmarks.add, bookmarks.list, bookmarks.edit and bookmarks.remove, by the official client', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const { bookmarks } = bot.webClient();
    const channel_id = ws.general.id;
    const link = 'https://a.example/';
    const { bookmark } = await bookmarks.add({ channel_id, title: 'Runbook', type: 'link', link, emoji: ':clap:' });
    expect(bookmark).toEqual({
      id: expect.stringMatching(/^Bk0/),
      channel_id,
      title: 'Runbook',
      link,
      emoji: ':clap:',
      icon_url: '',
      type: 'link',
      entity_id: null,
      date_created: recentSeconds,
      date_updated: 0,
      rank: expect.any(String),
      last_updated_by_user_id: bot.userId,
      last_updated_by_team_id: ws.id,
      shortcut_id: null,
      app_id: null,
    });
    const second = await bookmarks.add({ channel_id, title: 'Board', type: 'link', link });
    const bookmark_id = bookmark?.id as string;
    const edited = await bookmarks.edit({ channel_id, bookmark_id, title: 'Book', emoji: '' });
    expect(edited.bookmark).toEqual({ ...bookmark, title: 'Book', emoji: '', date_updated: recentSeconds });
    expect((await bookmarks.list({ channel_id })).bookmarks).toEqual([edited.bookmark, second.bookmark]);
    expect(await bot.call('bookmarks.remove', { channel_id, bookmark_id })).toEqual({ ok: true });
    expect((await bookmarks.list({ channel_id })).bookmarks).toEqual([second.bookmark]);
  });

  it('are for members, and answer each error in the documented order', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const good = { channel_id: ws.general.id, title: 'x', type: 'link', link: 'https://a.example/' };
    const add = (args: object) => bot.call('bookmarks.add', { ...good, ...args });
    expect(await add({ channel_id: '' })).toEqual(missing('channel_id'));
    expect(await add({ title: 'x'.repeat(256) })).toMatchObject(refused('invalid_arguments'));
    expect(await add({ type: 'file', link: 'x' })).toEqual(refused('invalid_bookmark_type'));
    expect(await add({ link: 'ftp://a.example', emoji: 'x' })).toEqual(refused('invalid_link'));
    expect(await add({ channel_id: 'C0NOWHERE01', emoji: ':nothing:' })).toEqual(refused('invalid_emoji'));
    expect(await add({ channel_id: 'C0NOWHERE01' })).toEqual(refused('channel_not_found'));
    const hidden = await ws.channel({ isPrivate: true });
    const open = await ws.channel();
    expect(await add({ channel_id: hidden.id })).toEqual(refused('channel_not_found'));
    expect(await add({ channel_id: open.id })).toEqual(refused('permission_denied'));
    expect(await bot.call('bookmarks.list', { channel_id: open.id })).toEqual(refused('permission_denied'));
    expect(await add({ title: 'x'.repeat(255) })).toMatchObject({ ok: true });
    const { bookmark } = await add({});
    await ws.join(open, bot);
    for (const method of ['bookmarks.edit', 'bookmarks.remove']) {
      expect(await bot.call(method, { channel_id: open.id })).toEqual(missing('bookmark_id'));
      const args = { channel_id: open.id, bookmark_id: bookmark.id };
      expect(await bot.call(method, args)).toEqual(refused('not_found'));
    }
    const mute = await ws.bot({ scopes: [] });
    expect(await mute.call('bookmarks.add', good)).toMatchObject({ error: 'missing_scope', needed: 'bookmarks:write' });
    expect(await mute.call('bookmarks.list')).toMatchObject({ error: 'missing_scope', needed: 'bookmarks:read' });
  });

  it('are at most 100 in a conversation', async () => {
    const ws = await app.workspace();
    const clients = await Promise.all(Array.from({ length: 6 }, () => ws.bot()));
    const add = (i: number) =>
      clients[i % 6]?.call('bookmarks.add', {
        channel_id: ws.general.id,
        title: `${i}`,
        type: 'link',
        link: 'https://a.example/',
      });
    const answers = await Promise.all(Array.from({ length: 101 }, (_, i) => add(i)));
    expect(answers.filter(({ ok }) => ok)).toHaveLength(100);
    expect(answers.filter(({ error }) => error === 'too_many_bookmarks')).toHaveLength(1);
  });
});
