import { describe, expect, it } from 'vitest';
import { DEFAULT_BOT_SCOPES } from '../../../src/messaging/provisioning/default-scopes.js';
import { FURTHER_KINDS } from '../../../src/messaging/events/event-names.js';
import { useApp } from '../../support/app.js';
import type { ChatClient } from '../../support/chat-client.js';
import { closeReceivers, eventually, receiver } from '../../support/receiver.js';
import { rest } from '../../support/rest-client.js';
import { closeSockets, connect, socketApp } from '../../support/socket-app.js';
import type { WorkspaceBuilder } from '../../support/workspace.js';

type Json = Record<string, any>;

/** An app with an event subscription, and its bot. */
interface Listener {
  readonly id: string;
  readonly bot: { id: string };
  /** Inner events in the order of their arrival, without those of new members. */
  heard(): Json[];
}

// docs/reference/events.md#kinds
describe('further event kinds, as an app receives them', () => {
  const app = useApp();
  closeReceivers();
  closeSockets();
  const wanted = FURTHER_KINDS.filter((kind) => kind !== 'team_join');

  const overHttp = async (ws: WorkspaceBuilder, scopes: readonly string[] = DEFAULT_BOT_SCOPES): Promise<Listener> => {
    const far = await receiver();
    const { token } = await ws.jwtClient({ user: ws.admin });
    const { body: made } = await rest(app, 'POST /apps', {
      token,
      body: {
        manifest: {
          display_information: { name: 'over http' },
          oauth_config: { scopes: { bot: scopes } },
          settings: { event_subscriptions: { request_url: far.url, bot_events: wanted } },
        },
      },
    });
    const heard = (): Json[] =>
      far.received
        .map(({ body }) => JSON.parse(body) as Json)
        .flatMap(({ type, event }) => (type === 'event_callback' ? [event as Json] : []));
    return { id: made.id as string, bot: { id: made.bot_user_id as string }, heard };
  };
  const overSocket = async (ws: WorkspaceBuilder): Promise<Listener> => {
    const made = await socketApp(ws, { events: wanted });
    const socket = await connect(app, made['app_token'] as string);
    socket.socket.on('message', (data) => socket.ack(JSON.parse((data as Buffer).toString()) as object));
    const heard = (): Json[] => socket.of('events_api').map(({ payload }) => payload.event as Json);
    return { id: made['id'] as string, bot: { id: made['bot_user_id'] as string }, heard };
  };
  const kinds = ({ heard }: Listener): string[] => heard().map(({ type }) => type as string);
  /** Waits until exactly these have arrived, in any order: deliveries may overtake each other. */
  const expectKinds = async (listener: Listener, expected: readonly string[]): Promise<void> => {
    await eventually(() => kinds(listener).length >= expected.length, `${expected.join()}`);
    expect(kinds(listener).toSorted()).toEqual(expected.toSorted());
  };
  const upload = async (client: ChatClient, channels: string): Promise<string> => {
    const { upload_url: url, file_id: id } = await client.call('files.getUploadURLExternal', {
      filename: 'a.txt',
      length: 5,
    });
    expect((await fetch(url as string, { method: 'POST', body: 'hello' })).status).toBe(200);
    expect(await client.call('files.completeUploadExternal', { files: [{ id }], channels })).toMatchObject({
      ok: true,
    });
    return id as string;
  };

  it('pins and files are sent to members, over HTTP and over a socket, as they were recorded', async () => {
    const ws = await app.workspace();
    const [http, socket] = [await overHttp(ws), await overSocket(ws)];
    const bot = await ws.bot();
    const place = await ws.channel({ isPrivate: true, members: [http.bot, socket.bot, bot] });
    const hidden = await ws.channel({ isPrivate: true, members: [bot] });
    for (const channel of [hidden, place]) {
      const { ref } = await ws.message({ channel, user: ws.admin });
      await bot.call('pins.add', ref);
      await bot.call('pins.remove', ref);
      await bot.call('files.delete', { file: await upload(bot, channel.id) });
    }
    const shared = await upload(bot, `${hidden.id},${place.id}`);
    const expected = [
      'pin_added',
      'pin_removed',
      'file_created',
      'file_shared',
      'file_deleted',
      // a file in two conversations: the event names the one in which the bot is a member
      'file_created',
      'file_shared',
    ];
    for (const listener of [http, socket]) {
      await expectKinds(listener, expected);
      for (const kind of ['pin_added', 'pin_removed', 'file_deleted']) {
        const recorded = (await ws.recorded(kind)).at(-1);
        expect(listener.heard().filter(({ type }) => type === kind)).toEqual([recorded]);
      }
      expect(
        listener
          .heard()
          .filter(({ type }) => type === 'file_shared')
          .at(-1),
      ).toEqual({
        type: 'file_shared',
        file_id: shared,
        user_id: bot.userId,
        file: { id: shared },
        channel_id: place.id,
        event_ts: expect.any(String),
      });
    }
    expect(socket.heard().map(({ type }) => type)).toEqual(expected);
  });

  it('an upload is sent to the app that made it, wherever it is shared', async () => {
    const ws = await app.workspace();
    const socket = await overSocket(ws);
    const { token } = await ws.jwtClient({ user: ws.admin });
    const { body } = await rest(app, `POST /apps/${socket.id}/tokens/rotate`, { token, body: { kind: 'bot' } });
    await expectKinds(socket, ['tokens_revoked']);
    const upload = await fetch(`${app.baseUrl}/api/files.getUploadURLExternal?filename=a.txt&length=5`, {
      headers: { authorization: `Bearer ${body.bot_token as string}` },
    });
    const { upload_url: url, file_id: id } = (await upload.json()) as Json;
    await fetch(url as string, { method: 'POST', body: 'hello' });
    await fetch(`${app.baseUrl}/api/files.completeUploadExternal`, {
      method: 'POST',
      headers: { authorization: `Bearer ${body.bot_token as string}`, 'content-type': 'application/json' },
      body: JSON.stringify({ files: [{ id }] }),
    });
    await expectKinds(socket, ['tokens_revoked', 'file_created']);
    expect(socket.heard()[1]).toMatchObject({ file_id: id, user_id: socket.bot.id });
  });

  it('public changes of conversations are sent to all, private ones to members, departures to the leaving member', async () => {
    const ws = await app.workspace();
    const [http, socket] = [await overHttp(ws), await overSocket(ws)];
    const admin = await ws.jwtClient({ user: ws.admin });
    const members = [ws.admin, http.bot, socket.bot];
    const [open, closed, strange] = [
      await ws.channel({ members }),
      await ws.channel({ isPrivate: true, members }),
      await ws.channel({ members: [ws.admin] }),
    ];
    const say = async (method: string, args: object): Promise<Json> => {
      const answer = await admin.call(method, args as Record<string, unknown>);
      expect(answer, method).toMatchObject({ ok: true });
      return answer;
    };
    for (const [channel, name] of [
      [open, 'open'],
      [closed, 'closed'],
      [strange, 'strange'],
    ] as const) {
      await say('conversations.rename', { channel: channel.id, name: `${name}-${ws.domain}`.slice(0, 21) });
      await say('conversations.archive', { channel: channel.id });
      await say('conversations.unarchive', { channel: channel.id });
    }
    await say('conversations.kick', { channel: open.id, user: http.bot.id });
    await say('conversations.kick', { channel: closed.id, user: socket.bot.id });
    const both = [
      'channel_rename',
      'channel_unarchive',
      'group_rename',
      'group_archive',
      'group_unarchive',
      'channel_rename',
      'channel_unarchive',
    ];
    await expectKinds(http, [...both, 'channel_left']);
    await expectKinds(socket, [...both, 'group_left']);
    const last = (listener: Listener, type: string) => listener.heard().findLast((event) => event['type'] === type);
    for (const type of ['channel_rename', 'group_rename', 'channel_unarchive', 'group_archive', 'group_unarchive']) {
      expect(await ws.recorded(type)).toContainEqual(last(http, type));
    }
    expect(last(http, 'group_rename')?.['channel']).toMatchObject({ id: closed.id, is_channel: true, is_mpim: false });
    expect(last(http, 'group_archive')).toMatchObject({ channel: closed.id, user: ws.admin.id, is_moved: 0 });
    const left = { actor_id: ws.admin.id, event_ts: expect.any(String) };
    expect(last(http, 'channel_left')).toEqual({ type: 'channel_left', channel: open.id, ...left });
    expect(last(socket, 'group_left')).toEqual({ type: 'group_left', channel: closed.id, ...left });
  });

  it('direct conversations are sent to their members, an im as each side sees it', async () => {
    const ws = await app.workspace();
    const [http, socket] = [await overHttp(ws), await overSocket(ws)];
    const admin = await ws.jwtClient({ user: ws.admin });
    const im = (await admin.call('conversations.open', { users: http.bot.id })).channel as { id: string };
    await admin.call('conversations.close', { channel: im.id });
    await admin.call('conversations.open', { channel: im.id });
    const users = [http.bot.id, socket.bot.id].join(',');
    const mpim = (await admin.call('conversations.open', { users })).channel as { id: string };
    await admin.call('conversations.close', { channel: mpim.id });
    await expectKinds(http, ['im_created', 'im_close', 'im_open', 'group_open', 'group_close']);
    await expectKinds(socket, ['group_open', 'group_close']);
    expect(http.heard().find(({ type }) => type === 'im_created')).toEqual({
      type: 'im_created',
      user: ws.admin.id,
      channel: { id: im.id, is_im: true, created: expect.any(Number), user: ws.admin.id },
      event_ts: expect.any(String),
    });
    expect(socket.heard()[0]).toMatchObject({ user: ws.admin.id, channel: mpim.id });
  });

  it('none of them is sent without its scope', async () => {
    const ws = await app.workspace();
    const [deaf, hearing] = [await overHttp(ws, ['chat:write']), await overHttp(ws)];
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [deaf.bot, hearing.bot, bot, ws.admin] });
    const admin = await ws.jwtClient({ user: ws.admin });
    const { ref } = await ws.message({ channel, user: ws.admin });
    await bot.call('pins.add', ref);
    await upload(bot, channel.id);
    await admin.call('conversations.rename', { channel: channel.id, name: `x-${ws.domain}`.slice(0, 21) });
    await admin.call('users.profile.set', { profile: { status_text: 'out' } });
    await rest(app, `PUT /workspaces/${ws.id}`, { token: admin.token, body: { name: 'Other' } });
    await expectKinds(hearing, [
      'pin_added',
      'file_created',
      'file_shared',
      'channel_rename',
      'user_profile_changed',
      'user_status_changed',
      'team_rename',
    ]);
    await rest(app, `POST /apps/${deaf.id}/tokens/rotate`, { token: admin.token, body: { kind: 'bot' } });
    await expectKinds(deaf, ['tokens_revoked']);
  });
});
