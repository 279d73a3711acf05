import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { channelInfo, missing, recordedKinds, unique, wireTs } from '../support/conversations.js';

describe('conversations.create', () => {
  const app = useApp();

  it('answers the whole channel, with the caller as creator and first member', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();

    const answer = await bot.webClient().conversations.create({ name: 'endeavor' });

    const id = answer.channel?.id as string;
    expect(id).toMatch(/^C0[0-9A-Z]{9}$/);
    expect(answer).toMatchObject({ ok: true });
    expect(answer.channel).toEqual({
      ...channelInfo(ws, { id, name: 'endeavor' }, { creator: bot.userId }),
      latest: null,
      unread_count: 0,
      unread_count_display: 0,
      priority: 0,
    });
    expect((await bot.call('conversations.members', { channel: id })).members).toEqual([bot.userId]);
    expect(await ws.memberCount({ id })).toEqual({ counted: 1, rows: 1 });
  });

  it('sends events for channel, member and join message, in that order, and stores the message', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();

    const { channel } = await bot.call('conversations.create', { name: 'fun' });

    expect(await recordedKinds(ws)).toEqual(['channel_created', 'member_joined_channel', 'message/channel_join']);
    const [created, joined, message] = await ws.recorded();
    const eventChannel = channelInfo(ws, channel, {
      creator: bot.userId,
      created: channel.created,
      updated: channel.updated,
      parent_conversation: undefined,
      is_member: undefined,
      last_read: undefined,
    });
    expect(created).toEqual({ type: 'channel_created', channel: eventChannel, event_ts: wireTs });
    expect(joined).toEqual({
      type: 'member_joined_channel',
      user: bot.userId,
      channel: channel.id,
      channel_type: 'C',
      team: ws.id,
      event_ts: wireTs,
    });
    const { messages } = await bot.call('conversations.history', { channel: channel.id });
    expect(messages).toEqual([
      {
        type: 'message',
        subtype: 'channel_join',
        user: bot.userId,
        text: `<@${bot.userId}> has joined the channel`,
        team: ws.id,
        ts: wireTs,
      },
    ]);
    expect(message).toEqual({ ...messages[0], channel: channel.id, channel_type: 'channel', event_ts: messages[0].ts });
  });

  it('creates a private channel without channel_created', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();

    const { channel } = await bot.call('conversations.create', { name: 'secret', is_private: 'true' });

    expect(channel).toMatchObject({ is_private: true, is_channel: true, is_group: false, is_member: true });
    expect(channel.id).toMatch(/^C/);
    expect(await recordedKinds(ws)).toEqual(['member_joined_channel', 'message/channel_join']);
    expect((await ws.recorded())[0]).toMatchObject({ channel_type: 'G' });
    expect((await ws.recorded())[1]).toMatchObject({ channel_type: 'group' });
  });

  it('accepts letters of any script and trims, but never changes a name', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    for (const [sent, name] of [
      ['  padded-name ', 'padded-name'],
      ['über_straße-2', 'über_straße-2'],
      ['日本語', '日本語'],
      ['a'.repeat(80), 'a'.repeat(80)],
    ]) {
      expect((await bot.call('conversations.create', { name: sent })).channel.name).toBe(name);
    }
  });

  it('answers the error of the first broken rule of a name', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    expect(await bot.call('conversations.create', {})).toEqual(missing('name'));
    for (const [name, error] of [
      ['', 'invalid_name_required'],
      ['   ', 'invalid_name_required'],
      ['a'.repeat(81), 'invalid_name_maxlength'],
      ['Upper', 'invalid_name_specials'],
      ['two words', 'invalid_name_specials'],
      ['#hash', 'invalid_name_specials'],
      ['a.b', 'invalid_name_specials'],
      ['-_-', 'invalid_name_punctuation'],
      ['everyone', 'invalid_name'],
    ]) {
      expect([name, await bot.call('conversations.create', { name })]).toEqual([name, { ok: false, error }]);
    }
  });

  it('answers name_taken for any channel of the workspace, also a private or archived one', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const hidden = await ws.channel({ isPrivate: true });
    const archived = await ws.channel();
    await ws.archive(archived);

    for (const name of ['general', hidden.name, archived.name]) {
      expect(await bot.call('conversations.create', { name })).toEqual({ ok: false, error: 'name_taken' });
    }
    expect(await ws.recorded()).toEqual([]);
  });

  it('lets another workspace have the same name', async () => {
    const name = unique('shared');
    const [first, second] = [await (await app.workspace()).bot(), await (await app.workspace()).bot()];
    expect((await first.call('conversations.create', { name })).ok).toBe(true);
    expect((await second.call('conversations.create', { name })).ok).toBe(true);
  });

  it('gives a name to one of several concurrent calls', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();

    const answers = await Promise.all(
      Array.from({ length: 8 }, () => bot.call('conversations.create', { name: 'contested' })),
    );

    expect(answers.filter((answer) => answer.ok)).toHaveLength(1);
    expect(answers.filter((answer) => answer.error === 'name_taken')).toHaveLength(7);
    expect(await recordedKinds(ws)).toEqual(['channel_created', 'member_joined_channel', 'message/channel_join']);
  });

  it('requires the scope of the type that is_private selects, for bots and users', async () => {
    const ws = await app.workspace();
    const create = async (kind: 'bot' | 'user', scope: string, isPrivate: boolean) => {
      const client = kind === 'bot' ? await ws.bot({ scopes: [scope] }) : await ws.userClient({ scopes: [scope] });
      const { status, body } = await client.wire('conversations.create', { name: unique('c'), is_private: isPrivate });
      return body['ok'] === true ? status : { status, ...body };
    };
    const refusal = (needed: string, provided: string) => ({
      status: 403,
      ok: false,
      error: 'missing_scope',
      needed,
      provided,
    });

    expect(await create('bot', 'channels:manage', false)).toBe(200);
    expect(await create('bot', 'channels:write', false)).toBe(200);
    expect(await create('bot', 'groups:write', true)).toBe(200);
    expect(await create('user', 'channels:write', false)).toBe(200);
    expect(await create('user', 'groups:write', true)).toBe(200);
    expect(await create('bot', 'groups:write', false)).toEqual(
      refusal('channels:manage,channels:write', 'groups:write'),
    );
    expect(await create('bot', 'channels:manage', true)).toEqual(refusal('groups:write', 'channels:manage'));
    expect(await create('user', 'groups:write', false)).toEqual(refusal('channels:write', 'groups:write'));
    expect(await create('bot', 'chat:write', false)).toEqual(
      refusal('channels:manage,channels:write,groups:write', 'chat:write'),
    );
    // a scope for bots has no meaning on a user token
    expect(await create('user', 'channels:manage', false)).toEqual(
      refusal('channels:write,groups:write', 'channels:manage'),
    );
  });
});
