import { describe, expect, it } from 'vitest';
import { slackSignature, svcSignature } from '../../../src/webhooks/signing.js';
import { useApp } from '../../support/app.js';
import type { ChatClient } from '../../support/chat-client.js';
import { closeReceivers, receiver, type Received } from '../../support/receiver.js';
import { refusal, rest } from '../../support/rest-client.js';

interface Envelope {
  token: string;
  event: Record<string, unknown> & { text?: string; type: string };
  api_app_id: string;
  authorizations: { user_id: string; is_bot: boolean }[];
}

const envelope = (received: Received): Envelope => JSON.parse(received.body) as Envelope;
const NINE = [
  'message',
  'reaction_added',
  'reaction_removed',
  'channel_created',
  'channel_archive',
  'member_joined_channel',
  'member_left_channel',
  'user_change',
  'presence_change',
];

describe('outgoing webhooks and event subscriptions', () => {
  const app = useApp();
  closeReceivers();
  const outgoing = (client: ChatClient, body: object) =>
    rest(app, 'POST /webhooks/outgoing', { token: client.token, body });
  const subscribe = (client: ChatClient, body: object) =>
    rest(app, 'POST /events/subscribe', { token: client.token, body });

  it('are created, listed without secrets, and removed by permitted callers', async () => {
    const ws = await app.workspace();
    const [bot, person, admin] = [await ws.bot(), await ws.jwtClient(), await ws.adminClient()];
    const made = await outgoing(person, {
      request_url: 'http://127.0.0.1:1/x',
      event_types: ['message'],
      channel: '#general',
    });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.stringMatching(/^Ow0/),
      url: 'http://127.0.0.1:1/x',
      events: ['message'],
      channel_id: ws.general.id,
      name: '',
      enabled: true,
      team_id: ws.id,
      creator: person.userId,
      created: expect.any(Number),
      last_status: null,
      secret: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    const own = await outgoing(bot, { url: 'http://127.0.0.1:1/y', secret: 'x'.repeat(16) });
    expect(own.body).toMatchObject({ secret: 'x'.repeat(16), events: NINE, channel_id: null });
    const { secret: _secret, ...shown } = made.body;
    const list = await rest(app, 'GET /webhooks/outgoing', { token: bot.token });
    expect(list.body.webhooks[0]).toEqual(shown);
    expect(list.body.webhooks).toHaveLength(2);

    const remove = (client: ChatClient, id: string) =>
      rest(app, `DELETE /webhooks/outgoing/${id}`, { token: client.token });
    expect((await remove(bot, made.body.id)).body).toEqual(refusal(403, 'not_admin'));
    expect((await remove(person, made.body.id)).body).toEqual({ success: true });
    expect((await remove(person, made.body.id)).body).toEqual(refusal(404, 'webhook_not_found'));
    expect((await remove(admin, own.body.id)).body).toEqual({ success: true });
  });

  it('send a bot’s own webhook what its scopes and memberships allow, and e-mail addresses only with their scope', async () => {
    const ws = await app.workspace();
    const [poor, rich] = [
      await ws.bot({ scopes: ['reactions:read', 'users:read'] }),
      await ws.bot({ scopes: ['channels:history', 'users:read', 'users:read.email'] }),
    ];
    const person = await ws.userClient();
    const [shared, open] = [
      await ws.channel({ members: [poor, rich, person] }),
      await ws.channel({ members: [person] }),
    ];
    const [toPoor, toRich] = [await receiver(), await receiver()];
    await outgoing(poor, { url: toPoor.url, events: ['message', 'reaction_added', 'user_change'] });
    await outgoing(rich, { url: toRich.url, events: ['message', 'reaction_added', 'user_change'] });
    // a public channel in which the bots are no members
    const unheard = await person.call('chat.postMessage', { channel: open.id, text: 'elsewhere' });
    await person.call('reactions.add', { channel: open.id, timestamp: unheard.ts, name: 'eyes' });
    const { ts } = await person.call('chat.postMessage', { channel: shared.id, text: 'here' });
    await person.call('reactions.add', { channel: shared.id, timestamp: ts, name: 'eyes' });
    await person.call('users.profile.set', { profile: { status_text: 'last' } });
    const last = (all: readonly Received[]): boolean => all.some((one) => envelope(one).event.type === 'user_change');
    const [heardByPoor, heardByRich] = await Promise.all([toPoor.until(last), toRich.until(last)]);
    const kinds = (all: readonly Received[]) => all.map((one) => envelope(one).event.type);
    expect(kinds(heardByPoor)).toEqual(['reaction_added', 'user_change']);
    expect(kinds(heardByRich)).toEqual(['message', 'user_change']);
    const email = (all: readonly Received[]): unknown =>
      (envelope(all.at(-1) as Received).event['user'] as { profile: { email?: string } }).profile.email;
    expect(email(heardByPoor)).toBeUndefined();
    expect(email(heardByRich)).toContain('@');
  });

  it('refuse invalid targets', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const bad: object[] = [
      {},
      { url: 'ftp://example.com/' },
      { url: 'nonsense' },
      { url: `http://example.com/${'x'.repeat(2000)}` },
      { url: 'http://example.com', events: ['nonsense'] },
      { url: 'http://example.com', events: [] },
      { url: 'http://example.com', events: 'message' },
      { url: 'http://example.com', events: ['emoji_changed'] },
      { url: 'http://example.com', secret: 'short' },
    ];
    for (const body of bad) expect((await outgoing(bot, body)).status, JSON.stringify(body)).toBe(400);
    const lost = await outgoing(bot, { url: 'http://example.com', channel: 'nowhere' });
    expect(lost.body).toEqual(refusal(404, 'channel_not_found'));
    expect((await subscribe(bot, { request_url: 'http://127.0.0.1:1/', events: ['emoji_changed'] })).status).toBe(400);
    const person = await ws.jwtClient();
    const unknown = await subscribe(person, { url: 'http://127.0.0.1:1/', app_id: 'A0NOTHING00' });
    expect(unknown.body).toEqual(refusal(404, 'app_not_found'));
  });

  it('subscribe an app: the handshake sets `verified`, and the same URL again replaces the list of events', async () => {
    const ws = await app.workspace();
    const [bot, person] = [await ws.bot(), await ws.jwtClient()];
    for (const [answer, verified] of [
      [(challenge: string) => challenge, true],
      [(challenge: string) => `challenge=${challenge}`, true],
      [(challenge: string) => JSON.stringify({ challenge }), true],
      [() => 'something else', false],
    ] as const) {
      const far = await receiver(
        (request, reply) => void reply.end(answer((JSON.parse(request.body) as { challenge: string }).challenge)),
      );
      const { status, body } = await subscribe(bot, {
        request_url: far.url,
        events: ['message.channels', 'reaction_added'],
      });
      expect([status, body.verified]).toEqual([201, verified]);
      expect(JSON.parse(far.received[0]?.body ?? '')).toEqual({
        token: expect.stringMatching(/^[A-Za-z0-9]{24}$/),
        challenge: expect.stringMatching(/^[A-Za-z0-9]{48}$/),
        type: 'url_verification',
      });
      const again = await subscribe(bot, { request_url: far.url, bot_events: ['message'] });
      expect([again.status, again.body.id, again.body.events]).toEqual([200, body.id, ['message']]);
    }
    const mine = await rest(app, 'GET /events/subscriptions', { token: bot.token });
    expect(mine.body.subscriptions).toHaveLength(4);
    expect((await rest(app, 'GET /events/subscriptions', { token: person.token })).body.subscriptions).toHaveLength(4);
    expect(
      (await rest(app, 'GET /events/subscriptions', { token: (await ws.bot()).token })).body.subscriptions,
    ).toEqual([]);
    const { id } = mine.body.subscriptions[0];
    const remove = (token: string) => rest(app, `DELETE /events/subscriptions/${id}`, { token });
    expect((await remove(person.token)).body).toEqual(refusal(403, 'not_admin'));
    expect((await remove(bot.token)).body).toEqual({ success: true });
    expect((await remove(bot.token)).body).toEqual(refusal(404, 'subscription_not_found'));
  });

  it('are verified and removed by the creator of their app, whoever subscribed it', async () => {
    const ws = await app.workspace();
    const [creator, stranger] = [await ws.jwtClient(), await ws.jwtClient()];
    const admin = await ws.jwtClient({ user: ws.admin });
    const made = await rest(app, 'POST /apps', {
      token: creator.token,
      body: { manifest: { display_information: { name: 'creators-app' } } },
    });
    const far = await receiver(
      (request, reply) => void reply.end((JSON.parse(request.body) as { challenge: string }).challenge),
    );
    const { body } = await subscribe(admin, { request_url: far.url, app_id: made.body.id });
    const verify = (client: ChatClient) =>
      rest(app, `POST /events/subscriptions/${body.id}/verify`, { token: client.token });
    const remove = (client: ChatClient) =>
      rest(app, `DELETE /events/subscriptions/${body.id}`, { token: client.token });
    expect((await verify(stranger)).body).toEqual(refusal(403, 'not_admin'));
    expect((await remove(stranger)).body).toEqual(refusal(403, 'not_admin'));
    expect(await verify(creator)).toMatchObject({ status: 200, body: { id: body.id, verified: true } });
    expect((await remove(creator)).body).toEqual({ success: true });
  });

  it('send an app what its tokens may receive by scope and membership, preferring the bot', async () => {
    const ws = await app.workspace();
    const listener = await ws.bot({ scopes: ['channels:history', 'users:read'] });
    const person = await ws.user();
    const secret = await ws.channel({ isPrivate: true, members: [listener, person] });
    const open = await ws.channel({ members: [person] });
    const far = await receiver();
    await subscribe(listener, { request_url: far.url });
    const author = await ws.userClient({ user: person });

    await author.call('chat.postMessage', { channel: open.id, text: 'not a member' });
    await author.call('chat.postMessage', { channel: secret.id, text: 'no scope' });
    await author.call('reactions.add', {
      channel: ws.general.id,
      timestamp: (await ws.message({ channel: ws.general, text: 'heard' })).ts,
      name: 'tada',
    });
    await author.call('users.profile.set', { profile: { title: 'x' } });
    const received = (await far.until((all) => all.length === 3)).slice(1).map(envelope);
    expect(received.map(({ event }) => event.text ?? event.type)).toEqual(['heard', 'user_change']);
    expect(received[0]?.authorizations).toMatchObject([{ user_id: listener.userId, is_bot: true }]);
    const user = received[1]?.event['user'] as { profile: object };
    expect(user.profile).not.toHaveProperty('email');
  });

  it('send an app what one of its users sees, when its bot does not', async () => {
    const ws = await app.workspace();
    const owner = await ws.userClient();
    const secret = await ws.channel({ isPrivate: true, members: [{ userId: owner.userId }] });
    const far = await receiver();
    await rest(app, 'POST /events/subscribe', {
      token: owner.token,
      body: { request_url: far.url, events: ['message.groups'] },
    });
    await owner.call('chat.postMessage', { channel: ws.general.id, text: 'another type' });
    await owner.call('chat.postMessage', { channel: secret.id, text: 'seen by a user' });
    const [, heard] = (await far.until((all) => all.length === 2)).map((one) => JSON.parse(one.body) as Envelope);
    expect(heard?.event.text).toBe('seen by a user');
    expect(heard?.authorizations).toMatchObject([{ user_id: owner.userId, is_bot: false }]);
  });

  it('send a webhook what its creator sees, public channels without membership, signed with its secret', async () => {
    const ws = await app.workspace();
    const creator = await ws.jwtClient();
    const far = await receiver();
    const only = await receiver();
    const { body: hook } = await outgoing(creator, {
      url: far.url,
      events: ['message', 'user_change', 'message_replied'],
    });
    await outgoing(creator, { url: only.url, channel: ws.random.id });
    const outsider = await ws.userClient();
    const open = await ws.channel({ members: [{ userId: outsider.userId }] });
    const secret = await ws.channel({ isPrivate: true, members: [{ userId: outsider.userId }] });
    await outsider.call('chat.postMessage', { channel: secret.id, text: 'unseen' });
    const parent = await outsider.call('chat.postMessage', { channel: open.id, text: 'seen' });
    await outsider.call('chat.postMessage', { channel: open.id, text: 'reply', thread_ts: parent.ts });
    await outsider.call('users.profile.set', { profile: { title: 'x' } });
    await ws.message({ channel: ws.random, text: 'random' });

    const all = await far.until((received) => received.length === 5);
    expect(all.map(envelope).map(({ event }) => event['subtype'] ?? event.text ?? event.type)).toEqual([
      'seen',
      'reply',
      'message_replied',
      'user_change',
      'random',
    ]);
    expect((envelope(all[3] as Received).event['user'] as { profile: object }).profile).toHaveProperty('email');
    const [first] = all as [Received];
    const timestamp = first.headers['x-slack-request-timestamp'] as string;
    expect(first.headers).toMatchObject({
      'content-type': 'application/json',
      'x-slack-signature': slackSignature(hook.secret, timestamp, first.body),
      'svc-signature': svcSignature(hook.secret, first.body),
      'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
    });
    expect(envelope(first)).toMatchObject({
      api_app_id: ws.defaultApp.id,
      authorizations: [{ user_id: creator.userId, is_bot: false }],
    });
    const filtered = await only.until((received) => received.length === 1);
    expect(filtered.map((one) => envelope(one).event.text)).toEqual(['random']);
  });

  it('are sent to the member who left, evaluated before the change, and not to one who was kicked afterwards', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const channel = await ws.channel({ members: [{ id: ws.admin.id }, { userId: bot.userId }] });
    const far = await receiver();
    await subscribe(bot, { request_url: far.url, events: ['message', 'member_left_channel', 'channel_archive'] });
    const admin = await ws.adminClient();
    await admin.call('conversations.kick', { channel: channel.id, user: bot.userId });
    await admin.call('chat.postMessage', { channel: channel.id, text: 'silence' });
    await admin.call('conversations.archive', { channel: channel.id });
    const heard = (await far.until((all) => all.length === 3)).slice(1).map((one) => envelope(one).event.type);
    expect(heard).toEqual(['member_left_channel', 'channel_archive']);
  });
});
