import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';

const refused = (error: string) => ({ ok: false, error });

describe('chat.getPermalink', () => {
  const app = useApp();

  it('links to a message, and to a reply within its thread', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot({ scopes: [] });
    const parent = await ws.message({ channel: ws.general });
    const reply = await ws.message({ channel: ws.general, threadTs: parent.ts });
    const link = (ts: string) => bot.call('chat.getPermalink', { channel: ws.general.id, message_ts: ts });
    const base = `${app.baseUrl}/archives/${ws.general.id}/p`;
    expect(await link(parent.ts)).toEqual({
      ok: true,
      channel: ws.general.id,
      permalink: base + parent.ts.replace('.', ''),
    });
    expect((await link(reply.ts)).permalink).toBe(
      `${base}${reply.ts.replace('.', '')}?thread_ts=${parent.ts}&cid=${ws.general.id}`,
    );
    for (const ts of ['1.5', 'x']) expect(await link(ts)).toEqual(refused('message_not_found'));
    expect(await link('')).toMatchObject(refused('invalid_arguments'));
    expect(await bot.call('chat.getPermalink', { channel: 'C0NOWHERE01', message_ts: '1.5' })).toEqual(
      refused('channel_not_found'),
    );
  });
});
