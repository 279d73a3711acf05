import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { expectHidden, expectScopes, missing } from '../support/conversations.js';

const refused = (error: string) => ({ ok: false, error });

describe('conversations.mark', () => {
  const app = useApp();

  it('answers ok to a member for any ts, and changes nothing', async () => {
    const ws = await app.workspace();
    const ann = await ws.userClient();
    const message = await ws.message({ channel: ws.general });
    const before = await ann.call('conversations.info', { channel: ws.general.id });
    for (const ts of [message.ts, '1.5', 1234567890]) {
      expect(await ann.call('conversations.mark', { channel: ws.general.id, ts })).toEqual({ ok: true });
    }
    expect(await ann.call('conversations.info', { channel: ws.general.id })).toEqual(before);
    expect(await ws.recorded()).toHaveLength(1);
  });

  it('answers each error in the documented order', async () => {
    const ws = await app.workspace();
    const ann = await ws.userClient();
    const channel = await ws.channel();
    const mark = (args: object) => ann.call('conversations.mark', { channel: channel.id, ts: '1.5', ...args });
    expect(await mark({ channel: '', ts: '' })).toEqual(missing('channel', 'ts'));
    expect(await mark({ ts: '' })).toEqual(missing('ts'));
    expect(await mark({ ts: 'yesterday', channel: 'C0NOWHERE01' })).toEqual(refused('invalid_timestamp'));
    expect(await mark({})).toEqual(refused('not_in_channel'));
    await expectHidden(app, ws, ann, 'conversations.mark', { ts: '1.5' });
  });

  it('requires the scope of the conversation type', async () => {
    const ws = await app.workspace();
    const others = { private: ['groups:write'], im: ['im:write'], mpim: ['mpim:write'] };
    const args = (conversation: { id: string }) => ({ channel: conversation.id, ts: '1.5' });
    const bot = { public: ['channels:manage', 'channels:write'], ...others };
    await expectScopes(ws, 'bot', 'conversations.mark', bot, args);
    await expectScopes(ws, 'user', 'conversations.mark', { public: ['channels:write'], ...others }, args);
  });
});
