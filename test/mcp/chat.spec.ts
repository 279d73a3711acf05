import { beforeAll, describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { ensureBuilt } from '../support/server-process.js';
import type { WorkspaceBuilder } from '../support/workspace.js';
import { isDocumented, ToolClient } from './clients.js';

const app = useApp();

/** docs/reference/mcp.md#chat-tools: names and arguments, in the order of its table. */
const TOOLS: Record<string, { required: string[]; optional: string[]; reads: boolean }> = {
  svc_list_channels: { required: [], optional: ['limit', 'cursor'], reads: true },
  svc_post_message: { required: ['channel_id', 'text'], optional: [], reads: false },
  svc_reply_to_thread: { required: ['channel_id', 'thread_ts', 'text'], optional: [], reads: false },
  svc_add_reaction: { required: ['channel_id', 'timestamp', 'reaction'], optional: [], reads: false },
  svc_get_channel_history: { required: ['channel_id'], optional: ['limit'], reads: true },
  svc_get_thread_replies: { required: ['channel_id', 'thread_ts'], optional: [], reads: true },
  svc_get_users: { required: [], optional: ['limit', 'cursor'], reads: true },
  svc_get_user_profile: { required: ['user_id'], optional: [], reads: true },
  svc_auth_test: { required: [], optional: [], reads: true },
  svc_search_messages: { required: ['query'], optional: ['limit'], reads: true },
  svc_open_dm: { required: ['users'], optional: [], reads: false },
};

/** One call of each tool, with arguments that exist. */
async function callsOf(workspace: WorkspaceBuilder): Promise<Record<string, Record<string, unknown>>> {
  const { general } = workspace;
  const ann = await workspace.user();
  const { ts } = await workspace.message({ channel: general, user: ann });
  return {
    svc_list_channels: {},
    svc_post_message: { channel_id: general.id, text: 'hello' },
    svc_reply_to_thread: { channel_id: general.id, thread_ts: ts, text: 'indeed' },
    svc_add_reaction: { channel_id: general.id, timestamp: ts, reaction: 'eyes' },
    svc_get_channel_history: { channel_id: general.id },
    svc_get_thread_replies: { channel_id: general.id, thread_ts: ts },
    svc_get_users: {},
    svc_get_user_profile: { user_id: ann.id },
    svc_auth_test: {},
    svc_search_messages: { query: 'hello' },
    svc_open_dm: { users: ann.id },
  };
}

describe.each(['stdio', 'http'] as const)('the chat tools over %s', (transport) => {
  beforeAll(() => (transport === 'stdio' ? ensureBuilt() : undefined), 240_000);

  const connect = (bot: { token: string } | undefined): Promise<ToolClient> =>
    ToolClient.over(transport, app, 'chat', bot?.token);

  it('are the eleven documented ones, each described and annotated', async () => {
    const { tools } = await connect(await (await app.workspace()).bot({ scopes: [] }));
    expect(tools.map(({ name }) => name)).toEqual(Object.keys(TOOLS));
    for (const tool of tools) {
      isDocumented(tool);
      const { required, optional, reads } = TOOLS[tool.name] as (typeof TOOLS)[string];
      expect(tool.inputSchema.required ?? [], tool.name).toEqual(required);
      expect(Object.keys(tool.inputSchema.properties ?? {}), tool.name).toEqual([...required, ...optional]);
      expect(tool.annotations?.readOnlyHint, tool.name).toBe(reads);
      expect(tool.annotations?.destructiveHint, tool.name).toBe(false);
    }
  });

  it('have their documented effect, and answer it as text and data', async () => {
    const workspace = await app.workspace();
    const ann = await workspace.user({ realName: 'Ann Author' });
    const bot = await workspace.defaultBot();
    const tools = await connect(bot);
    const { general } = workspace;

    const me = await tools.data('svc_auth_test', {}, [bot.userId, workspace.id, 'chat:write']);
    expect(me).toMatchObject({ user_id: bot.userId, team_id: workspace.id });
    expect(me.scopes).toContain('chat:write');

    const { channels } = await tools.data('svc_list_channels', {}, [general.id, '#general', workspace.random.id]);
    expect(channels.map(({ name }: { name: string }) => name).sort()).toEqual(['general', 'random']);

    const posted = await tools.data('svc_post_message', { channel_id: '#general', text: 'shall we deploy?' }, [
      general.id,
      'shall we deploy?',
    ]);
    expect(posted).toMatchObject({ channel: general.id, message: { text: 'shall we deploy?', user: bot.userId } });
    const { ts } = posted;

    const reply = await tools.data(
      'svc_reply_to_thread',
      { channel_id: general.id, thread_ts: ts, text: 'deploy it' },
      [ts, 'deploy it'],
    );
    expect(reply.message).toMatchObject({ thread_ts: ts });

    const reacted = { channel: general.id, timestamp: ts, reaction: 'rocket' };
    expect(
      await tools.data('svc_add_reaction', { channel_id: 'general', timestamp: ts, reaction: 'rocket' }, [
        ':rocket:',
        ts,
      ]),
    ).toEqual(reacted);
    expect(
      await tools.refusal('svc_add_reaction', { channel_id: 'general', timestamp: ts, reaction: 'rocket' }),
    ).toMatch(/^already_reacted: /);

    const history = await tools.data('svc_get_channel_history', { channel_id: '#general', limit: 1 }, [
      `[${ts}] ${bot.userId}: shall we deploy?`,
      '1 reply',
      ':rocket: 1',
    ]);
    expect(history).toMatchObject({ channel: general.id, has_more: expect.any(Boolean) });
    expect(history.messages).toEqual([
      expect.objectContaining({ ts, reply_count: 1, reactions: [{ name: 'rocket', count: 1, users: [bot.userId] }] }),
    ]);

    const thread = await tools.data('svc_get_thread_replies', { channel_id: '#general', thread_ts: ts }, ['deploy it']);
    expect(thread.messages.map(({ text }: { text: string }) => text)).toEqual(['shall we deploy?', 'deploy it']);

    const { members } = await tools.data('svc_get_users', {}, [ann.id, `@${ann.name}`]);
    expect(members.map(({ id }: { id: string }) => id)).toEqual(
      expect.arrayContaining([ann.id, bot.userId, workspace.admin.id]),
    );

    const profile = await tools.data('svc_get_user_profile', { user_id: `@${ann.name}` }, [ann.id, 'Ann Author']);
    expect(profile).toMatchObject({ user: ann.id, profile: { real_name: 'Ann Author' } });

    const { channel } = await tools.data('svc_open_dm', { users: ` @${ann.name} ` });
    expect(channel.id).toMatch(/^D/);
    const again = await tools.data('svc_open_dm', { users: ann.id }, [channel.id]);
    expect(again).toEqual({ channel, already_open: true });
    const group = await tools.data('svc_open_dm', { users: `${ann.id}, @admin` });
    expect(group.channel.id).toMatch(/^G/);

    const found = await tools.data('svc_search_messages', { query: 'deploy in:#general', limit: 1 }, [general.id]);
    expect(found.messages).toMatchObject({ total: 2, matches: [{ channel: { id: general.id } }] });
  });

  it('are listed for every token, and name the missing scope', async () => {
    const workspace = await app.workspace();
    const calls = await callsOf(workspace);
    const tools = await connect(await workspace.bot({ scopes: ['commands'] }));
    expect(tools.tools).toHaveLength(11);
    const scopes: Record<string, string> = {
      svc_list_channels: 'channels:read',
      svc_post_message: 'chat:write',
      svc_reply_to_thread: 'chat:write',
      svc_add_reaction: 'reactions:write',
      svc_get_channel_history: 'channels:history',
      svc_get_thread_replies: 'channels:history',
      svc_get_users: 'users:read',
      svc_get_user_profile: 'users.profile:read',
      svc_search_messages: 'search:read',
      svc_open_dm: 'im:write',
    };
    for (const [name, args] of Object.entries(calls)) {
      const needed = scopes[name];
      if (needed === undefined) expect(await tools.data(name, args)).toMatchObject({ scopes: ['commands'] });
      else
        expect(await tools.refusal(name, args), name).toMatch(
          new RegExp(`^missing_scope: .*\\b${needed}\\b.*commands`),
        );
    }
  });

  it('see nothing of another workspace', async () => {
    const [workspace, other] = await Promise.all([app.workspace(), app.workspace()]);
    const secret = await workspace.channel();
    const ann = await workspace.user();
    const { ts } = await workspace.message({ channel: secret, user: ann, text: 'marmalade' });
    const tools = await connect(await other.defaultBot());
    const here = { channel_id: secret.id };
    expect(await tools.refusal('svc_post_message', { ...here, text: 'hi' })).toMatch(/^channel_not_found: /);
    expect(await tools.refusal('svc_post_message', { channel_id: `#${secret.name}`, text: 'hi' })).toMatch(
      /^channel_not_found: /,
    );
    expect(await tools.refusal('svc_reply_to_thread', { ...here, thread_ts: ts, text: 'hi' })).toMatch(
      /^channel_not_found: /,
    );
    expect(await tools.refusal('svc_add_reaction', { ...here, timestamp: ts, reaction: 'eyes' })).toMatch(
      /^channel_not_found: /,
    );
    expect(await tools.refusal('svc_get_channel_history', here)).toMatch(/^channel_not_found: /);
    expect(await tools.refusal('svc_get_channel_history', { channel_id: secret.name })).toMatch(/^channel_not_found: /);
    expect(await tools.refusal('svc_get_thread_replies', { ...here, thread_ts: ts })).toMatch(/^channel_not_found: /);
    expect(await tools.refusal('svc_get_user_profile', { user_id: ann.id })).toMatch(/^user_not_found: /);
    expect(await tools.refusal('svc_get_user_profile', { user_id: `@${ann.name}` })).toMatch(/^user_not_found: /);
    expect(await tools.refusal('svc_open_dm', { users: `@${ann.name}` })).toMatch(/^user_not_found: /);
    expect((await tools.data('svc_search_messages', { query: 'marmalade' })).messages).toEqual({
      total: 0,
      matches: [],
    });
    expect(JSON.stringify(await tools.data('svc_list_channels'))).not.toContain(secret.id);
    expect(JSON.stringify(await tools.data('svc_get_users'))).not.toContain(ann.id);
    expect(await tools.data('svc_auth_test')).toMatchObject({ team_id: other.id });
  });

  it('refuse a revoked token in every call', async () => {
    const workspace = await app.workspace();
    const calls = await callsOf(workspace);
    const bot = await workspace.defaultBot();
    const tools = await connect(bot);
    await tools.data('svc_auth_test');
    await workspace.revoke(bot);
    for (const [name, args] of Object.entries(calls)) {
      expect(await tools.refusal(name, args), name).toMatch(/^token_revoked: .*SVC_MCP_TOKEN/);
    }
  });

  it('refuse a missing and an unknown token', async () => {
    const without = await connect(undefined);
    const unknown = await connect({ token: 'xoxb-000000000000-aaaaaaaaaaaaaaaaaaaaaaaa' });
    if (transport === 'http') return expect([without.tools, unknown.tools]).toEqual([[], []]);
    expect(without.tools).toHaveLength(11);
    expect(await without.refusal('svc_auth_test')).toMatch(/^not_authed: /);
    expect(await unknown.refusal('svc_list_channels')).toMatch(/^invalid_auth: /);
  });

  it('refuse arguments that are not in their schema', async () => {
    const tools = await connect(await (await app.workspace()).defaultBot());
    expect(await tools.refusal('svc_post_message', { channel: '#general', text: 'hi' })).toMatch(/channel_id/);
    expect(await tools.refusal('svc_get_thread_replies', { channel_id: 'general', thread_ts: 'last' })).toMatch(/ts/);
    expect(await tools.refusal('svc_list_channels', { limit: 0 })).toMatch(/limit/);
  });
});
