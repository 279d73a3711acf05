import { describe, expect, it } from 'vitest';
import { FURTHER_KINDS } from '../../../src/messaging/events/event-names.js';
import { useApp } from '../../support/app.js';
import { ChatClient } from '../../support/chat-client.js';
import { eventually, receiver, closeReceivers } from '../../support/receiver.js';
import { rest } from '../../support/rest-client.js';
import type { WorkspaceBuilder } from '../../support/workspace.js';

type Json = Record<string, any>;

describe('further event kinds', () => {
  const app = useApp();
  closeReceivers();

  const listening = async (
    ws: WorkspaceBuilder,
    features: object = {},
  ): Promise<{ made: Json; heard: () => Json[]; until: (n: number) => Promise<Json[]> }> => {
    const admin = await ws.jwtClient({ user: ws.admin });
    const far = await receiver();
    const { body: made } = await rest(app, 'POST /apps', {
      token: admin.token,
      body: {
        manifest: {
          display_information: { name: 'listener' },
          oauth_config: {
            scopes: {
              bot: [
                'app_mentions:read',
                'chat:write',
                'chat:write.customize',
                'links:read',
                'users:read',
                'team:read',
                'channels:read',
                'channels:history',
              ],
            },
          },
          features,
          settings: { event_subscriptions: { request_url: far.url, bot_events: ['message', ...FURTHER_KINDS] } },
        },
      },
    });
    const heard = (): Json[] =>
      far.received
        .map(({ body }) => JSON.parse(body.toString()) as Json)
        .filter((one) => one['type'] === 'event_callback');
    const until = async (n: number): Promise<Json[]> => {
      await eventually(
        () => heard().length >= n,
        `${n} events among ${JSON.stringify(heard().map(({ event }) => event.type))}`,
      );
      return heard().map(({ event }) => event as Json);
    };
    return { made, heard, until };
  };

  it('app_mention has no channel_type, and follows the message event once', async () => {
    const ws = await app.workspace();
    const { made, until } = await listening(ws);
    const channel = await ws.channel({ members: [ws.admin, { id: made['bot_user_id'] }] });
    const person = await ws.jwtClient({ user: ws.admin });
    const text = `<@${made['bot_user_id']}> and <@${made['bot_user_id']}|x> hi`;
    const posted = await person.call('chat.postMessage', { channel: channel.id, text });
    const events = (await until(3)).filter(({ type }) => type !== 'team_join');
    expect(events.map(({ type }) => type)).toEqual(['message', 'app_mention']);
    expect(events[1]).toEqual({
      type: 'app_mention',
      user: ws.admin.id,
      text,
      ts: posted['ts'],
      team: ws.id,
      channel: channel.id,
      event_ts: posted['ts'],
    });
    const found = await person.call('search.messages', { query: 'and hi' });
    expect(found['messages'].total).toBe(1);
    // a reply, and an edit that adds the mention
    await person.call('chat.postMessage', { channel: channel.id, thread_ts: posted['ts'], text });
    const plain = await person.call('chat.postMessage', { channel: channel.id, text: 'plain' });
    await person.call('chat.update', { channel: channel.id, ts: plain['ts'], text });
    await person.call('chat.update', { channel: channel.id, ts: plain['ts'], text: `${text} again` });
    const all = await until(9);
    const mentions = all.filter(({ type }) => type === 'app_mention');
    expect(mentions).toHaveLength(3);
    expect(mentions[1]).toMatchObject({ thread_ts: posted['ts'], parent_user_id: ws.admin.id });
    expect(mentions[2]).toMatchObject({ ts: plain['ts'], edited: { user: ws.admin.id } });
  });

  it('app_mention is not sent when the bot is not a member, nor for its own messages', async () => {
    const ws = await app.workspace();
    const { made, heard } = await listening(ws);
    const channel = await ws.channel({ members: [ws.admin] });
    const person = await ws.jwtClient({ user: ws.admin });
    const text = `<@${made['bot_user_id']}>`;
    await person.call('chat.postMessage', { channel: channel.id, text });
    await person.call('conversations.invite', { channel: channel.id, users: made['bot_user_id'] });
    await person.call('chat.postMessage', { channel: channel.id, text });
    await eventually(() => heard().some(({ event }) => event.type === 'app_mention'), 'a mention');
    expect(heard().filter(({ event }) => event.type === 'app_mention')).toHaveLength(1);
  });

  it('app_mention is sent for blocks, attachments and rich text, by bots, in private channels and group messages, never in an im', async () => {
    const ws = await app.workspace();
    const { made, heard } = await listening(ws);
    const botId = made['bot_user_id'] as string;
    const mention = `<@${botId}>`;
    const person = await ws.jwtClient({ user: ws.admin });
    const other = await ws.bot();
    const secret = await ws.channel({ isPrivate: true, members: [ws.admin, { id: botId }, other] });
    const group = await ws.direct({ id: ws.admin.id }, { id: botId }, other);
    const im = await ws.direct({ id: ws.admin.id }, { id: botId });
    const own = new ChatClient(app, made['bot_token'] as string, { userId: botId });
    const expected: string[] = [];
    const say = async (
      client: ChatClient,
      args: Json,
      isHeard: boolean,
      method = 'chat.postMessage',
    ): Promise<Json> => {
      const body = { channel: secret.id, text: 'x', ...args };
      // POST /api/act has no rate limit
      const isAct = client === person && method === 'chat.postMessage';
      const said = isAct
        ? (await rest(app, 'POST /act/message', { token: person.token, body: { ...body, until: 'none' } })).body.result
        : await client.call(method, body);
      expect(said, JSON.stringify(args)).toMatchObject({ ts: expect.any(String) });
      if (isHeard) expected.push(said['ts'] as string);
      return said as Json;
    };
    const section = (type: string) => ({ blocks: [{ type: 'section', text: { type, text: `hi ${mention}` } }] });
    const elements = [{ type: 'rich_text_section', elements: [{ type: 'user', user_id: botId }] }];
    await say(person, section('mrkdwn'), true);
    await say(person, section('plain_text'), true);
    await say(person, { blocks: [{ type: 'rich_text', elements }] }, true);
    for (const field of ['text', 'pretext', 'fallback']) {
      await say(person, { attachments: [{ text: 'x', fallback: 'x', [field]: mention }] }, true);
    }
    await say(other, { text: mention }, true);
    await say(other, { text: mention, username: 'deploybot' }, true);
    await say(person, { channel: group.id, text: mention }, true);
    await say(person, { text: `is here ${mention}` }, true, 'chat.meMessage');
    // none of these sends app_mention
    await say(person, { channel: im.id, text: mention }, false);
    await say(person, { text: `@${made['name'] as string} and @here` }, false);
    await say(own, { text: mention }, false);
    await say(own, { text: mention, username: 'somebody' }, false);
    await other.call('chat.postEphemeral', { channel: secret.id, user: ws.admin.id, text: mention });
    await say(person, { text: 'renames nobody' }, false);
    await person.call('conversations.setTopic', { channel: secret.id, topic: mention });
    const last = await say(person, { text: mention }, true);
    const mentions = (): Json[] => heard().flatMap(({ event }) => (event.type === 'app_mention' ? [event] : []));
    await eventually(() => mentions().some(({ ts }) => ts === last['ts']), 'the last mention');
    await eventually(() => mentions().length >= expected.length, 'all mentions');
    expect(mentions().map(({ ts }) => ts as string)).toEqual(expected);
    expect(mentions()[7]).toMatchObject({ subtype: 'bot_message', bot_id: other.botId });
    expect(mentions()[7]).not.toHaveProperty('channel_type');
    expect(mentions()[6]).toMatchObject({ user: other.userId, is_bot: true, bot_profile: { id: other.botId } });
    expect(new Set(heard().map(({ event_id }) => event_id)).size).toBe(heard().length);
  });

  it('link_shared is sent for links to the domains of the app', async () => {
    const ws = await app.workspace();
    const { made, heard, until } = await listening(ws, { unfurl_domains: ['example.com'] });
    const channel = await ws.channel({ members: [ws.admin] });
    const person = await ws.jwtClient({ user: ws.admin });
    const text = 'see <https://example.com/a> and <https://sub.example.com/b|b>, not <https://notexample.com/c>';
    const { ts } = await person.call('chat.postMessage', { channel: channel.id, text });
    const [event] = (await until(2)).filter(({ type }) => type === 'link_shared');
    expect(event).toEqual({
      type: 'link_shared',
      user: ws.admin.id,
      channel: channel.id,
      message_ts: ts,
      links: [
        { url: 'https://example.com/a', domain: 'example.com' },
        { url: 'https://sub.example.com/b', domain: 'example.com' },
      ],
      is_bot_user_member: false,
      unfurl_id: expect.stringMatching(new RegExp(`^${channel.id}\\.${ts as string}\\.[0-9a-f]{24}$`)),
      source: 'conversations_history',
      event_ts: ts,
    });
    expect(made['id']).toMatch(/^A/);
    // `unfurl_links: false` suppresses link_shared for this message, and no other event
    const hidden = { channel: channel.id, text: `<@${made['bot_user_id']}> ${text}` };
    await person.call('chat.postMessage', { ...hidden, unfurl_links: false });
    await person.call('chat.postMessage', { ...hidden, unfurl_links: 'false', thread_ts: ts });
    await person.call('chat.postMessage', { ...hidden, unfurl_links: true, thread_ts: ts });
    const all = (await until(3)).filter(({ type }) => type === 'link_shared');
    expect(all).toHaveLength(2);
    expect(all[1]).toMatchObject({ thread_ts: ts });
    // the order for one message: the message, its mentions, its links
    await person.call('conversations.invite', { channel: channel.id, users: made['bot_user_id'] });
    const { ts: both } = await person.call('chat.postMessage', hidden);
    const ofIt = () => heard().flatMap(({ event }) => ((event.ts ?? event.message_ts) === both ? [event.type] : []));
    await eventually(() => ofIt().length === 3, 'three of one message');
    expect(ofIt()).toEqual(['message', 'app_mention', 'link_shared']);
  });

  it('team_join, user_profile_changed, user_status_changed, team_rename and team_domain_change are sent', async () => {
    const ws = await app.workspace();
    const { until } = await listening(ws);
    const person = await ws.jwtClient({ user: ws.admin });
    await person.call('users.profile.set', { profile: { title: 'boss' } });
    await person.call('users.profile.set', { profile: { status_text: 'away', status_emoji: ':palm_tree:' } });
    const changed = await rest(app, `PUT /workspaces/${ws.id}`, {
      token: person.token,
      body: { name: 'Renamed', domain: `${ws.domain}-x` },
    });
    expect(changed.status).toBe(200);
    const events = await until(6);
    expect(events.map(({ type }) => type)).toEqual([
      'team_join',
      'user_profile_changed',
      'user_profile_changed',
      'user_status_changed',
      'team_rename',
      'team_domain_change',
    ]);
    expect(events[1]?.['user'].profile).not.toHaveProperty('email');
    expect(events[4]).toMatchObject({ name: 'Renamed' });
  });
});
