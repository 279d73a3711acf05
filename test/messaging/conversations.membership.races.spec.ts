import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { ChatClient } from '../support/chat-client.js';
import { onPostgres, serverUrl } from '../support/databases.js';
import { closeReceivers, eventually, receiver } from '../support/receiver.js';
import { twoReplicas } from '../support/replicas.js';
import { rest } from '../support/rest-client.js';
import type { WorkspaceBuilder } from '../support/workspace.js';

type Json = Record<string, any>;

const KINDS = ['message.channels', 'member_joined_channel', 'member_left_channel', 'channel_left'];

/** Concurrent joins, departures, invitations and kicks share statements. */
describe('concurrent changes of membership', () => {
  const app = useApp();
  closeReceivers();

  /** An app that receives the events of members and messages in its bot's channels. */
  async function listener(ws: WorkspaceBuilder) {
    const admin = await ws.jwtClient({ user: ws.admin });
    const far = await receiver();
    const scopes = [
      'channels:read',
      'channels:history',
      'channels:join',
      'channels:write',
      'channels:manage',
      'chat:write',
    ];
    const { body: made } = await rest(app, 'POST /apps', {
      token: admin.token,
      body: {
        manifest: {
          display_information: { name: 'listener' },
          oauth_config: { scopes: { bot: scopes } },
          settings: { event_subscriptions: { request_url: far.url, bot_events: KINDS } },
        },
      },
    });
    const heard = (): Json[] =>
      far.received
        .map(({ body }) => JSON.parse(body.toString()) as Json)
        .flatMap(({ type, event }) => (type === 'event_callback' ? [event as Json] : []));
    const userId = made['bot_user_id'] as string;
    return { userId, client: new ChatClient(app, made['bot_token'] as string, { userId }), heard };
  }

  it('send joins to the joining member too, and send a leaving member everything but the message', async () => {
    const ws = await app.workspace();
    const [stays, goes] = [await listener(ws), await listener(ws)];
    const channel = await ws.channel();
    const saysOf = (event: Json) => [event['type'], event['subtype'] ?? '', event['user']].join(' ');
    const here = (one: typeof stays) =>
      one
        .heard()
        .filter((event) => event['channel'] === channel.id)
        .map(saysOf);

    await Promise.all([stays, goes].map(({ client }) => client.call('conversations.join', { channel: channel.id })));
    for (const one of [stays, goes]) {
      await eventually(() => here(one).includes(`message channel_join ${one.userId}`), 'the own join');
      expect(here(one)).toContain(`member_joined_channel  ${one.userId}`);
    }

    await goes.client.call('conversations.leave', { channel: channel.id });
    await eventually(() => here(stays).includes(`message channel_leave ${goes.userId}`), 'the departure');
    expect(here(stays)).toContain(`member_left_channel  ${goes.userId}`);
    expect(here(stays).filter((what) => what.startsWith('channel_left'))).toEqual([]);
    // this later event arrives last, so no other event of the first channel follows
    const other = await ws.channel();
    await goes.client.call('conversations.join', { channel: other.id });
    await eventually(
      () => goes.heard().some((event) => event['channel'] === other.id && event['subtype'] === 'channel_join'),
      'the next join',
    );
    expect(here(goes)).toContain(`member_left_channel  ${goes.userId}`);
    expect(here(goes).filter((what) => what.startsWith('channel_left'))).toHaveLength(1);
    expect(here(goes)).not.toContain(`message channel_leave ${goes.userId}`);
  });

  it('invite a user once, even with concurrent invitations', async () => {
    const ws = await app.workspace();
    const hosts = await Promise.all(Array.from({ length: 6 }, () => ws.userClient()));
    const guests = await Promise.all(Array.from({ length: 3 }, () => ws.userClient()));
    const channel = await ws.channel({ members: [ws.admin, ...hosts] });
    const users = guests.map(({ userId }) => userId);

    const answers = await Promise.all(
      hosts.map((host) => host.call('conversations.invite', { channel: channel.id, users: users.join(',') })),
    );
    const refused = answers.filter(({ ok }) => !ok);
    expect(refused.map(({ error, errors }) => [error, (errors as Json[]).map(({ user }) => user)])).toEqual(
      Array.from({ length: 5 }, () => ['already_in_channel', users]),
    );
    expect(await ws.memberCount(channel)).toEqual({ counted: 10, rows: 10 });
    const came = await ws.recorded('member_joined_channel');
    expect(came.map(({ user }) => user)).toEqual(users);
  });

  it('let one of two members who kick each other stay', async () => {
    const ws = await app.workspace();
    const people = await Promise.all(Array.from({ length: 2 }, () => ws.userClient()));
    const channel = await ws.channel({ members: [ws.admin, ...people] });
    const [one, other] = people as [ChatClient, ChatClient];

    const answers = await Promise.all([
      one.call('conversations.kick', { channel: channel.id, user: other.userId }),
      other.call('conversations.kick', { channel: channel.id, user: one.userId }),
    ]);
    expect(answers.map(({ ok, error }) => (ok ? 'ok' : error)).sort()).toEqual(['not_in_channel', 'ok']);
    expect(await ws.memberCount(channel)).toEqual({ counted: 2, rows: 2 });
    expect(await ws.recorded('member_left_channel')).toHaveLength(1);
  });

  it.skipIf(serverUrl === undefined)(
    `are counted exactly over two processes${onPostgres}`,
    async () => {
      const servers = await twoReplicas({ SVC_RATE_LIMIT_MULTIPLIER: '1000' });
      const ws = await servers[0].workspace();
      const channel = await ws.channel();
      const people = await Promise.all(Array.from({ length: 8 }, () => ws.userClient()));
      const call = async (place: number, method: string, { token }: ChatClient, body: object = {}): Promise<Json> => {
        const response = await fetch(`${servers[place % 2]?.baseUrl}/api/${method}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ channel: channel.id, ...body }),
        });
        return (await response.json()) as Json;
      };
      // each user joins three times, from both processes at once, leaves twice, and posts while a member
      await Promise.all(
        people.map(async (person, i) => {
          for (let turn = 0; turn < 3; turn++) {
            const came = await Promise.all([0, 1].map((at) => call(i + at, 'conversations.join', person)));
            expect(came.map(({ ok }) => ok)).toEqual([true, true]);
            expect(came.filter(({ warning }) => warning === undefined)).toHaveLength(1);
            expect((await call(i + turn, 'chat.postMessage', person, { text: 'here' })).ok).toBe(true);
            if (turn === 2) return;
            const went = await Promise.all([0, 1].map((at) => call(i + at, 'conversations.leave', person)));
            expect(went.filter(({ ok }) => ok)).toHaveLength(1);
            expect(went.find(({ ok }) => !ok)?.['error']).toBe('not_in_channel');
            expect((await call(i + turn, 'chat.postMessage', person, { text: 'gone' })).error).toBe('not_in_channel');
          }
        }),
      );
      expect(await ws.memberCount(channel)).toEqual({ counted: 9, rows: 9 });
      expect(await ws.recorded('member_joined_channel')).toHaveLength(24);
      expect(await ws.recorded('member_left_channel')).toHaveLength(16);
      const timestamps = (await ws.recorded('message')).map((event) => event['ts'] as string);
      expect(timestamps).toHaveLength(24 + 16 + 24);
      expect(new Set(timestamps).size).toBe(timestamps.length);
    },
    60_000,
  );
});
