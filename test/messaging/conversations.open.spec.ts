import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { expectHidden, imInfo, mpimInfo } from '../support/conversations.js';
import type { ChatClient } from '../support/chat-client.js';

describe('conversations.open', () => {
  const app = useApp();
  const open = (client: ChatClient, args: Record<string, unknown>) => client.call('conversations.open', args);
  const existed = { no_op: true, already_open: true };

  it('opens an im, and answers the same one from either side', async () => {
    const ws = await app.workspace();
    const [ann, bob] = [await ws.userClient(), await ws.userClient()];

    const made = await ann.webClient().conversations.open({ users: bob.userId });

    const id = made.channel?.id as string;
    expect(id).toMatch(/^D0[0-9A-Z]{9}$/);
    expect(await open(ann, { users: bob.userId })).toEqual({ ok: true, ...existed, channel: { id } });
    expect(await open(bob, { users: [ann.userId, bob.userId] })).toEqual({ ok: true, ...existed, channel: { id } });
    expect(made.no_op).toBeUndefined();
    expect(await ws.memberCount({ id })).toEqual({ counted: 2, rows: 2 });
  });

  it('opens a group message for two or more other users, whatever their order', async () => {
    const ws = await app.workspace();
    const ann = await ws.user({ name: 'ann' });
    const asAnn = await ws.userClient({ user: ann });
    const [bob, eve] = [await ws.user({ name: 'bob' }), await ws.user({ name: 'eve' })];

    const made = await open(asAnn, { users: `${eve.id},${bob.id}`, return_im: true });

    expect(made).toEqual({
      ok: true,
      channel: mpimInfo(ws, { id: made.channel.id, creator: ann.id, names: ['ann', 'bob', 'eve'] }),
    });
    expect(made.channel.id).toMatch(/^G0[0-9A-Z]{9}$/);
    const asBob = await ws.userClient({ user: bob });
    expect(await open(asBob, { users: [ann.id, bob.id, eve.id] })).toEqual({
      ok: true,
      ...existed,
      channel: { id: made.channel.id },
    });
    const other = await open(asBob, { users: [ann.id, ws.admin.id] });
    expect(other.channel.id).not.toBe(made.channel.id);
  });

  it("opens a self-DM for the caller's own id alone", async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const made = await open(bot, { users: bot.userId, return_im: 1 });
    expect(made).toEqual({ ok: true, channel: imInfo(ws, { id: made.channel.id, user: bot.userId }) });
    expect(await ws.memberCount(made.channel)).toEqual({ counted: 1, rows: 1 });
    expect((await open(bot, { users: bot.userId })).channel.id).toBe(made.channel.id);
  });

  it('answers the whole im with its latest message with return_im', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const ann = await ws.user();
    const { channel } = await open(bot, { users: ann.id });
    const { message } = await bot.call('chat.postMessage', { channel: channel.id, text: 'hi' });
    expect(await open(bot, { users: ann.id, return_im: true })).toEqual({
      ok: true,
      ...existed,
      channel: imInfo(ws, { id: channel.id, user: ann.id }, { latest: message }),
    });
  });

  it('reopens by channel, which takes precedence over users', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const ann = await ws.user();
    const im = await ws.direct(bot, ann);
    const mpim = await ws.direct(bot, ann, ws.admin);
    expect(await open(bot, { channel: im.id, users: 'U0NOSUCHUSR' })).toEqual({
      ok: true,
      ...existed,
      channel: { id: im.id },
    });
    expect(await open(bot, { channel: mpim.id, return_im: true })).toMatchObject({
      ok: true,
      ...existed,
      channel: { id: mpim.id, is_mpim: true },
    });
  });

  it('only looks up with prevent_creation', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const ann = await ws.user();
    expect(await open(bot, { users: ann.id, prevent_creation: true })).toEqual({
      ok: false,
      error: 'channel_not_found',
    });
    const made = await open(bot, { users: ann.id });
    expect(made.no_op).toBeUndefined();
    expect(await open(bot, { users: ann.id, prevent_creation: true })).toEqual({
      ok: true,
      ...existed,
      channel: made.channel,
    });
  });

  it('stores no message and sends events of the conversation only', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const { channel } = await open(bot, { users: [ws.admin.id, (await ws.user()).id] });
    await open(bot, { users: ws.admin.id });
    expect((await ws.recorded()).map(({ type }) => type)).toEqual(['group_open', 'im_created']);
    expect((await bot.call('conversations.history', { channel: channel.id })).messages).toEqual([]);
  });

  it('creates one conversation when it is opened concurrently', async () => {
    const ws = await app.workspace();
    const [ann, bob] = [await ws.userClient(), await ws.userClient()];
    const eve = await ws.user();
    for (const others of [[], [eve.id]]) {
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          i % 2 ? open(ann, { users: [bob.userId, ...others] }) : open(bob, { users: [...others, ann.userId] }),
        ),
      );
      expect(new Set(answers.map((answer) => answer.channel.id)).size).toBe(1);
      expect(answers.filter((answer) => answer.no_op === undefined)).toHaveLength(1);
      const size = 2 + others.length;
      expect(await ws.memberCount(answers[0].channel)).toEqual({ counted: size, rows: size });
    }
  });

  it('returns members who left a group message: the same set of users is always the same conversation', async () => {
    const ws = await app.workspace();
    const [ann, bob] = [await ws.userClient(), await ws.userClient()];
    const users = [ann.userId, bob.userId, (await ws.user()).id];
    const { channel } = await open(ann, { users });
    await ann.call('conversations.leave', { channel: channel.id });
    expect(await open(ann, { users, prevent_creation: true })).toEqual({ ok: false, error: 'channel_not_found' });

    expect(await open(ann, { users })).toEqual({ ok: true, ...existed, channel });

    expect((await ann.call('conversations.info', { channel: channel.id })).ok).toBe(true);
    expect(await ws.memberCount(channel)).toEqual({ counted: 3, rows: 3 });
  });

  it('lets a user open a DM with a bot, and a bot with a user, but not a bot with a bot', async () => {
    const ws = await app.workspace();
    const [bot, other] = [await ws.bot(), await ws.bot()];
    const ann = await ws.userClient();
    const { channel } = await open(ann, { users: bot.userId });
    expect((await open(bot, { users: ann.userId })).channel).toEqual(channel);
    expect(await open(bot, { users: other.userId })).toEqual({ ok: false, error: 'cannot_dm_bot' });
    expect((await open(bot, { users: [other.userId, ann.userId] })).ok).toBe(true);
  });

  it('answers errors in the documented order, and creates nothing', async () => {
    const ws = await app.workspace();
    const [bot, other] = [await ws.bot(), await ws.bot()];
    const gone = await ws.user();
    await ws.deactivate(gone);
    const foreign = (await app.workspace()).admin.id;
    const nine = Array.from({ length: 9 }, (_, i) => `U0NOSUCHUS${i}`);
    const refusal = (error: string) => ({ ok: false, error });

    for (const users of [undefined, '', ' , ', []])
      expect(await open(bot, { users })).toEqual(refusal('users_list_not_supplied'));
    expect(await open(bot, { users: nine })).toEqual(refusal('too_many_users'));
    expect(await open(bot, { users: [...nine, bot.userId] })).toEqual(refusal('too_many_users'));
    expect(await open(bot, { users: [...nine.slice(1), bot.userId] })).toEqual(refusal('user_not_found'));
    const twoInOne = `${ws.admin.id},${other.userId}`;
    for (const unknown of ['U0NOSUCHUSR', foreign, 'ann', 'USLACKBOT', twoInOne]) {
      expect(await open(bot, { users: [gone.id, ws.admin.id, unknown] })).toEqual(refusal('user_not_found'));
    }
    expect(await open(bot, { users: [other.userId, gone.id] })).toEqual(refusal('user_disabled'));
    expect(await open(bot, { users: gone.id })).toEqual(refusal('user_disabled'));
    expect((await bot.call('conversations.list', { types: 'im,mpim' })).channels).toEqual([]);
  });

  it('accepts eight users besides the caller', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const users = [];
    for (let i = 0; i < 8; i++) users.push((await ws.user()).id);
    const { channel } = await open(bot, { users: [bot.userId, ...users] });
    expect(await ws.memberCount(channel)).toEqual({ counted: 9, rows: 9 });
  });

  it('answers method_not_supported_for_channel_type for channels, and hides what the caller cannot see', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    for (const channel of [ws.general, ws.random, await ws.channel({ isPrivate: true, members: [bot] })]) {
      expect(await open(bot, { channel: channel.id })).toEqual({
        ok: false,
        error: 'method_not_supported_for_channel_type',
      });
    }
    // a channel of another workspace is hidden, whatever its type
    await expectHidden(app, ws, bot, 'conversations.open', { users: ws.admin.id });
  });

  it('requires im:write for one user or oneself, mpim:write for more, and by channel the scope of its type', async () => {
    const ws = await app.workspace();
    const one = (await ws.user()).id;
    const two = [one, (await ws.user()).id];
    for (const kind of ['bot', 'user'] as const) {
      const client = (scope: string) =>
        kind === 'bot' ? ws.bot({ scopes: [scope] }) : ws.userClient({ scopes: [scope] });
      const [im, mpim, none] = [await client('im:write'), await client('mpim:write'), await client('im:read')];
      const refusal = (needed: string, provided: string) => ({
        status: 403,
        body: { ok: false, error: 'missing_scope', needed, provided },
      });

      expect((await open(im, { users: one })).ok).toBe(true);
      expect((await open(im, { users: im.userId })).ok).toBe(true);
      expect((await open(mpim, { users: two })).ok).toBe(true);
      expect(await im.wire('conversations.open', { users: two })).toMatchObject(refusal('mpim:write', 'im:write'));
      expect(await mpim.wire('conversations.open', { users: one })).toMatchObject(refusal('im:write', 'mpim:write'));
      const group = await ws.direct(im, ...two.map((id) => ({ id })));
      expect(await im.wire('conversations.open', { channel: group.id })).toMatchObject(
        refusal('mpim:write', 'im:write'),
      );
      expect(await none.wire('conversations.open', { users: one })).toMatchObject(
        refusal('im:write,mpim:write', 'im:read'),
      );
    }
  });
});
