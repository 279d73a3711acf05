import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import type { ChatClient } from '../support/chat-client.js';
import { ToolClient } from './clients.js';

const app = useApp();

describe('names as arguments of the chat tools', () => {
  const connect = (bot: ChatClient): Promise<ToolClient> => ToolClient.http(app, 'chat', bot.token);

  it('find conversations and users beyond the first page of a list', async () => {
    const workspace = await app.workspace();
    const bot = await workspace.defaultBot();
    const tools = await connect(bot);
    const made = [await workspace.channel(), await workspace.channel(), await workspace.channel()];
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await tools.data('svc_list_channels', { limit: 2, ...(cursor ? { cursor } : {}) });
      seen.push(...page.channels.map(({ id }: { id: string }) => id));
      cursor = page.response_metadata.next_cursor;
    } while (cursor);
    expect(seen.sort()).toEqual([workspace.general, workspace.random, ...made].map(({ id }) => id).sort());
    expect(await tools.refusal('svc_list_channels', { cursor: 'bm90aGluZw==' })).toMatch(/^invalid_cursor: /);
  });

  it('find private channels if the token may list them', async () => {
    const workspace = await app.workspace();
    const scopes = ['channels:read', 'groups:history', 'channels:history'];
    const bot = await workspace.bot({ scopes: [...scopes, 'groups:read'] });
    const channel = await workspace.channel({ isPrivate: true, members: [bot] });
    const history = { channel_id: channel.name };
    expect(await (await connect(bot)).data('svc_get_channel_history', history)).toMatchObject({ channel: channel.id });
    const narrow = await connect(await workspace.tokenOf(bot, scopes));
    expect(await narrow.refusal('svc_get_channel_history', history)).toMatch(/^channel_not_found: /);
    await narrow.data('svc_get_channel_history', { channel_id: channel.id });
    const blind = await connect(await workspace.tokenOf(bot, ['channels:history']));
    expect(await blind.refusal('svc_get_channel_history', history)).toMatch(/^missing_scope: .*channels:read/);
  });

  it('find the direct messages with a user', async () => {
    const workspace = await app.workspace();
    const ann = await workspace.user();
    const bot = await workspace.defaultBot();
    const tools = await connect(bot);
    const withAnn = { channel_id: `@${ann.name}` };
    expect(await tools.refusal('svc_get_channel_history', withAnn)).toMatch(/^channel_not_found: .*svc_open_dm/);
    const posted = await tools.data('svc_post_message', { ...withAnn, text: 'psst' });
    expect(posted.channel).toMatch(/^D/);
    const history = await tools.data('svc_get_channel_history', withAnn);
    expect(history).toMatchObject({ channel: posted.channel, messages: [{ text: 'psst' }] });
    expect(await tools.data('svc_get_channel_history', { channel_id: ann.id })).toEqual(history);
  });

  it('find one user, by handle first, else by a unique display name', async () => {
    const workspace = await app.workspace();
    const [ann, bob, cleo] = await Promise.all([workspace.user(), workspace.user(), workspace.user()]);
    const shown = async (user: { id: string; name: string }, name: string): Promise<void> => {
      const client = await workspace.userClient({ user });
      expect(await client.call('users.profile.set', { profile: { display_name: name } })).toMatchObject({ ok: true });
    };
    await shown(ann, bob.name);
    await shown(bob, 'Twice');
    await shown(cleo, 'Twice');
    const tools = await connect(await workspace.defaultBot());
    const idOf = async (name: string): Promise<string> =>
      (await tools.data('svc_get_user_profile', { user_id: name })).user;
    expect(await idOf(bob.name)).toBe(bob.id);
    expect(await tools.refusal('svc_get_user_profile', { user_id: '@Twice' })).toMatch(/^user_not_found: .*give an id/);
    await shown(cleo, 'Once');
    expect(await idOf('@Once')).toBe(cleo.id);
  });
});

describe('the chat tools at a rate limit', () => {
  it('retry once after a short wait', async () => {
    const workspace = await app.workspace();
    const bot = await workspace.defaultBot();
    const tools = await ToolClient.http(app, 'chat', bot.token);
    for (let i = 0; i < 6; i++) {
      await tools.data('svc_post_message', { channel_id: workspace.random.id, text: `number ${i}` });
    }
    const { messages } = await tools.data('svc_get_channel_history', { channel_id: workspace.random.id });
    expect(messages.map(({ text }: { text: string }) => text)).toContain('number 5');
  });

  it('answer with the time to wait when it is longer', async () => {
    const workspace = await app.workspace();
    const bot = await workspace.defaultBot();
    const tools = await ToolClient.http(app, 'chat', bot.token);
    let refused = '';
    for (let i = 0; i < 51 && refused === ''; i++) {
      const answer = await tools.call('svc_open_dm', { users: workspace.admin.id });
      if (answer.isError) refused = answer.text;
    }
    expect(refused).toMatch(/^ratelimited: .*again in \d+ s/);
  });
});
