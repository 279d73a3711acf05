import { describe, expect, it } from 'vitest';
import { WireText } from '../../src/messaging/rpc/wire-text.js';
import { PageTexts, type PageText } from '../../src/messaging/rpc/page-texts.js';
import { useApp } from '../support/app.js';

describe('cached texts of pages', () => {
  const names =
    (made: string[], lasts = true) =>
    (rows: { name: string }[]) => {
      made.push(rows.map(({ name }) => name).join());
      return { items: new WireText(JSON.stringify(rows)), next: '', lasts } satisfies PageText;
    };

  it('are built once for the same rows and the same viewer', () => {
    const pages = new PageTexts<{ name: string }>();
    const made: string[] = [];
    const first = pages.of('[{"name":"a"}]', 'ann', names(made));
    expect(pages.of('[{"name":"a"}]', 'ann', names(made))).toBe(first);
    pages.of('[{"name":"a"}]', 'bob', names(made));
    pages.of('[{"name":"b"}]', 'ann', names(made));
    expect(made).toEqual(['a', 'a', 'b']);
    expect(first).toEqual({ items: new WireText('[{"name":"a"}]'), next: '', lasts: true });
  });

  it('are built again when they depend on the current time', () => {
    const pages = new PageTexts<{ name: string }>();
    const made: string[] = [];
    pages.of('[{"name":"a"}]', 'ann', names(made, false));
    pages.of('[{"name":"a"}]', 'ann', names(made, false));
    expect(made).toEqual(['a', 'a']);
  });

  it('are limited by their total length', () => {
    const pages = new PageTexts<{ name: string }>();
    const made: string[] = [];
    const rows = (n: number): string => JSON.stringify([{ name: `${n}${'x'.repeat(400_000)}` }]);
    for (let n = 0; n < 10; n++) pages.of(rows(n), '', names(made));
    pages.of(rows(9), '', names(made));
    expect(made).toHaveLength(10);
    pages.of(rows(0), '', names(made));
    expect(made).toHaveLength(11);
  });

  const app = useApp();

  it('show changes since the last page, and a status only until it expires', async () => {
    const ws = await app.workspace();
    const user = await ws.user({ name: 'ann' });
    const ann = await ws.userClient({
      user,
      scopes: ['users:read', 'users.profile:write', 'users:write', 'channels:read', 'channels:write'],
    });
    type Listed = { id: string; profile: Record<string, unknown> };
    const listed = async (): Promise<Listed> =>
      (await ann.call('users.list')).members.find(({ id }: Listed) => id === user.id);
    expect(await listed()).toMatchObject({ presence: 'active', profile: { title: '' } });

    await ann.call('users.profile.set', { profile: { title: 'CTO' } });
    await ann.call('users.setPresence', { presence: 'away' });
    expect(await listed()).toMatchObject({ presence: 'away', profile: { title: 'CTO' } });

    const over = app.clock.nowSeconds() + 3600;
    await ann.call('users.profile.set', { profile: { status_text: 'out', status_expiration: over } });
    expect((await listed()).profile).toMatchObject({ status_text: 'out', status_expiration: over });
    app.clock.advance(3_600_000);
    expect((await listed()).profile).toMatchObject({ status_text: '', status_expiration: 0 });

    const shown = async (): Promise<object> =>
      (await ann.call('conversations.list')).channels.find(({ id }: Listed) => id === ws.random.id);
    expect(await shown()).toMatchObject({ is_member: false, topic: { value: '' } });
    await ann.call('conversations.join', { channel: ws.random.id });
    await ann.call('conversations.setTopic', { channel: ws.random.id, topic: 'lunch' });
    expect(await shown()).toMatchObject({ is_member: true, topic: { value: 'lunch' } });
  });
});
