import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { ChatClient } from '../support/chat-client.js';
import { closeReceivers, eventually, receiver } from '../support/receiver.js';
import { rest } from '../support/rest-client.js';
import type { WorkspaceBuilder } from '../support/workspace.js';

const refused = (error: string) => ({ ok: false, error });
type Json = Record<string, unknown>;

// docs/reference/chat.md#search-for-agents
describe('assistant.search.context', () => {
  const app = useApp();
  closeReceivers();

  /** An agent with a URL, and the events that it got. */
  const agent = async (ws: WorkspaceBuilder) => {
    const far = await receiver();
    const admin = await ws.jwtClient({ user: ws.admin });
    const scopes = ['search:read.public', 'search:read.files', 'search:read.users', 'im:history', 'app_mentions:read'];
    const { body } = await rest(app, 'POST /apps', {
      token: admin.token,
      body: {
        manifest: {
          display_information: { name: 'searcher' },
          oauth_config: { scopes: { bot: [...scopes, 'chat:write'] } },
          features: { agent_view: { agent_description: 'Finds' } },
          settings: {
            event_subscriptions: { request_url: far.url, bot_events: ['message.im', 'app_mention'] },
          },
        },
      },
    });
    const bot = new ChatClient(app, body.bot_token as string, {
      userId: body.bot_user_id as string,
      appId: body.id as string,
      botId: body.bot_id as string,
    });
    const events = (): Json[] =>
      far.received.flatMap((request) => {
        const { event } = JSON.parse(request.body) as { event?: Json };
        return event ? [event] : [];
      });
    const tokenOf = async (text: string): Promise<string> => {
      const find = () => events().find((event) => event['text'] === text);
      await eventually(() => find() !== undefined, text);
      return (find()?.['assistant_thread'] as { action_token: string } | undefined)?.action_token ?? '';
    };
    return { bot, events, tokenOf };
  };

  const asked = async () => {
    const ws = await app.workspace();
    const made = await agent(ws);
    const ann = await ws.jwtClient();
    const { channel } = await ann.call('conversations.open', { users: made.bot.userId });
    await ann.call('chat.postMessage', { channel: channel.id, text: 'What of the deploy?' });
    const action_token = await made.tokenOf('What of the deploy?');
    const search = (args: Json, client = made.bot) => client.call('assistant.search.context', args);
    return { ws, ann, im: channel.id as string, action_token, search, ...made };
  };

  it('a message to an agent and a mention of it carry a token, and nothing else does', async () => {
    const { ws, ann, bot, im, action_token, tokenOf, events, search } = await asked();
    expect(action_token).toMatch(/^\d{13}\.\d{12}\.[0-9a-f]{24}$/);
    await ws.join(ws.general, bot, ann);
    const mention = `<@${bot.userId}> what of it?`;
    await ann.call('chat.postMessage', { channel: ws.general.id, text: mention });
    expect(await search({ query: 'deploy', action_token: await tokenOf(mention) })).toMatchObject({ ok: true });
    await bot.call('chat.postMessage', { channel: im, text: 'an answer' });
    expect(await tokenOf('an answer')).toBe('');
    expect(events().every((event) => !JSON.stringify(event).includes('undefined'))).toBe(true);
  });

  it('finds messages with any of the words, those with more of them first, in public channels alone for a bot', async () => {
    const { ws, ann, action_token, search } = await asked();
    const hidden = await ws.channel({ isPrivate: true, members: [ann] });
    const post = async (channel: string, text: string) => (await ann.call('chat.postMessage', { channel, text })).ts;
    await ws.join(ws.general, ann);
    const both = await post(ws.general.id, 'the deploy of friday broke');
    const one = await post(ws.general.id, 'friday it is');
    const nothing = await post(ws.general.id, 'lunch?');
    await post(hidden.id, 'a secret deploy on friday');
    const query = 'Deploy on Friday?';
    const { results, response_metadata } = await search({ query, action_token, include_context_messages: true });
    expect(Object.keys(results)).toEqual(['messages']);
    expect(results.messages.map((found: Json) => found['message_ts'])).toEqual([both, one]);
    expect(results.messages[1]).toMatchObject({
      author_name: expect.any(String),
      author_user_id: ann.userId,
      team_id: ws.id,
      channel_id: ws.general.id,
      channel_name: 'general',
      content: 'friday it is',
      is_author_bot: false,
      permalink: expect.stringContaining(`/archives/${ws.general.id}/p`),
      context_messages: { before: expect.anything(), after: [{ text: 'lunch?', user_id: ann.userId, ts: nothing }] },
    });
    expect(results.messages[1].context_messages.before.at(-1)).toMatchObject({ ts: both });
    expect(response_metadata).toEqual({ next_cursor: '' });
    const first = await search({ query, action_token, limit: 1 });
    expect(first.results.messages).toHaveLength(1);
    const { next_cursor: cursor } = first.response_metadata;
    expect((await search({ query, action_token, limit: 1, cursor })).results.messages).toMatchObject([
      { message_ts: one },
    ]);
    const own = { query, channel_types: ['private_channel', 'public_channel'] };
    expect((await search(own, ann)).results.messages).toHaveLength(3);
    expect((await search({ ...own, before: 1 }, ann)).results.messages).toEqual([]);
    expect((await search({ query: 'friday', action_token, highlight: true })).results.messages[0].content).toContain(
      '\uE000friday\uE001',
    );
  });

  it('finds channels, users and files, and what bots and archives have only if asked', async () => {
    const { ws, ann, bot, action_token, search } = await asked();
    const old = await ws.channel({ name: 'deploys-old', members: [ann] });
    await ann.call('conversations.setTopic', { channel: old.id, topic: 'Rollouts' });
    await ann.call('conversations.archive', { channel: old.id });
    await ws.channel({ name: 'rollouts', members: [ann] });
    const content_types = ['channels', 'users', 'files'];
    const found = await search({ query: 'rollouts searcher', action_token, content_types });
    expect(found.results).toMatchObject({ channels: [{ name: 'rollouts' }], users: [], files: [] });
    const more = { include_archived_channels: true, include_bots: true };
    const all = await search({ query: 'rollouts searcher', action_token, content_types, ...more });
    expect(all.results.channels.map(({ name }: Json) => name).sort()).toEqual(['deploys-old', 'rollouts']);
    expect(all.results.users).toMatchObject([{ user_id: bot.userId, is_bot: true }]);
  });

  it('answers each error in the documented order', async () => {
    const { ws, search, action_token } = await asked();
    expect(await search({ action_token: 'x', limit: -1 })).toEqual(refused('missing_query'));
    expect(await search({ query: ' ', action_token })).toEqual(refused('missing_query'));
    expect(await search({ query: 'x'.repeat(501), limit: -1 })).toEqual(refused('query_too_long'));
    expect(await search({ query: 'x', content_types: ['songs'] })).toMatchObject(refused('invalid_arguments'));
    expect(await search({ query: 'x', context_channel_id: 'C0NOWHERE01' })).toEqual(refused('invalid_action_token'));
    expect(await search({ query: 'x', action_token, context_channel_id: 'C0NOWHERE01' })).toEqual(
      refused('context_channel_not_found'),
    );
    expect(await search({ query: 'x', action_token, channel_types: ['im'] })).toMatchObject({
      error: 'missing_scope',
      needed: 'search:read.im',
    });
    const other = await agent(ws);
    expect(await search({ query: 'x', action_token }, other.bot)).toEqual(refused('invalid_action_token'));
  });

  it('each content and each kind of channel has its scope', async () => {
    const { ws, ann } = await asked();
    const none = await ws.userClient({ scopes: ['users:read'] });
    expect(await none.call('assistant.search.context', { query: 'x' })).toMatchObject({ error: 'missing_scope' });
    const find = async (scopes: string[], args: Json) =>
      (await ws.userClient({ scopes })).call('assistant.search.context', { query: 'nobody-has-this', ...args });
    const needs = (needed: string) => ({ error: 'missing_scope', needed });
    for (const [content, scope] of [
      ['messages', 'search:read.public'],
      ['files', 'search:read.files'],
      ['users', 'search:read.users'],
      ['channels', 'search:read.public'],
    ]) {
      const args = { content_types: [content] };
      const another = content === 'files' ? 'search:read.users' : 'search:read.files';
      expect(await find([another], args)).toMatchObject(needs(scope as string));
      expect(await find([scope as string], args)).toMatchObject({ ok: true, results: { [content as string]: [] } });
    }
    for (const [type, scope] of [
      ['private_channel', 'search:read.private'],
      ['im', 'search:read.im'],
      ['mpim', 'search:read.mpim'],
    ]) {
      const args = { channel_types: [type] };
      expect(await find(['search:read.public'], args)).toMatchObject(needs(scope as string));
      expect(await find(['search:read.public', scope as string], args)).toMatchObject({ ok: true });
    }
    const all = ['messages', 'files', 'channels', 'users'];
    for (const content_types of [all, all.join(','), JSON.stringify(all)]) {
      const { results } = await ann.call('assistant.search.context', { query: 'deploy', content_types });
      expect(Object.keys(results)).toEqual(all);
    }
  });

  it('arguments without effect are accepted, and others have their bounds', async () => {
    const { search, action_token } = await asked();
    const ignored = { term_clauses: [['x']], modifiers: 'in:general', disable_semantic_search: true };
    expect(await search({ query: 'x', action_token, ...ignored })).toMatchObject({ ok: true });
    expect(await search({ query: 'x'.repeat(500), action_token })).toMatchObject({ ok: true });
    for (const wrong of [{ limit: 'x' }, { channel_types: ['mars'] }, { include_bots: 'maybe' }]) {
      expect(await search({ query: 'x', action_token, ...wrong })).toMatchObject(refused('invalid_arguments'));
    }
    expect(await search({ query: 'x', action_token, limit: 20, cursor: 'nonsense' })).toMatchObject(
      refused('invalid_cursor'),
    );
  });

  it('a token ends after an hour', async () => {
    const { search, action_token } = await asked();
    expect(await search({ query: 'x', action_token })).toMatchObject({ ok: true });
    app.clock.advance(3_601_000);
    expect(await search({ query: 'x', action_token })).toEqual(refused('invalid_action_token'));
  });

  it('is allowed ten times a minute for each app and user', async () => {
    const { ws, search, action_token } = await asked();
    for (let i = 0; i < 10; i++) await search({ query: 'x', action_token });
    expect(await search({ query: 'x', action_token })).toMatchObject(refused('ratelimited'));
    expect(await search({ query: 'x' }, await ws.jwtClient())).toMatchObject({ ok: true });
  });
});
