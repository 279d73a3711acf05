import { App, HTTPReceiver, LogLevel } from '@slack/bolt';
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import { afterAll, describe, expect, it } from 'vitest';
import { useApp } from '../../support/app.js';
import { eventually } from '../../support/receiver.js';
import { rest } from '../../support/rest-client.js';
import type { WorkspaceBuilder } from '../../support/workspace.js';
import { DEFAULT_BOT_SCOPES } from '../../../src/messaging/provisioning/default-scopes.js';

type Json = Record<string, unknown>;

const running: { stop(): Promise<unknown> }[] = [];

/** A real Bolt app, for an app that was created in this service. */
async function boltApp(ws: WorkspaceBuilder) {
  const { app: server } = ws;
  const admin = await ws.jwtClient({ user: ws.admin });
  const { body: made } = await rest(server, 'POST /apps', {
    token: admin.token,
    body: {
      manifest: { display_information: { name: 'bolt' }, oauth_config: { scopes: { bot: [...DEFAULT_BOT_SCOPES] } } },
    },
  });
  await admin.call('conversations.invite', { channel: ws.general.id, users: made.bot_user_id });
  const receiver = new HTTPReceiver({ signingSecret: made.credentials.signing_secret, logLevel: LogLevel.ERROR });
  const app = new App({
    token: made.bot_token,
    receiver,
    ignoreSelf: false,
    logLevel: LogLevel.ERROR,
    clientOptions: { slackApiUrl: `${server.baseUrl}/api/`, retryConfig: { retries: 0 } },
  });
  const listening = (await receiver.start(0)) as unknown as Server;
  running.push({ stop: () => receiver.stop() as Promise<unknown> });
  const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}/slack/events`;
  return { app, url, made, admin, bot: { token: made.bot_token as string, userId: made.bot_user_id as string } };
}

describe('a Bolt app', () => {
  const server = useApp();
  afterAll(async () => {
    await Promise.all(running.splice(0).map((one) => one.stop()));
  });
  const call = async (token: string, method: string, args: Json): Promise<Json> => {
    const response = await fetch(`${server.baseUrl}/api/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(args),
    });
    const answer = (await response.json()) as Json;
    expect(answer, method).toMatchObject({ ok: true });
    return answer;
  };

  it('verifies its URL and receives all nine event kinds, changes and deletions included, in order', async () => {
    const ws = await server.workspace();
    const { app, url, admin, bot } = await boltApp(ws);
    const heard: Json[] = [];
    for (const kind of [
      'message',
      'reaction_added',
      'reaction_removed',
      'channel_created',
      'channel_archive',
      'member_joined_channel',
      'member_left_channel',
      'user_change',
      'presence_change',
    ]) {
      app.event(kind, async ({ event, body, context }: { event: unknown; body: unknown; context: unknown }) => {
        heard.push({ ...(event as Json), envelope: body, bot: (context as Json)['botUserId'] });
      });
    }
    const subscribed = await rest(server, 'POST /events/subscribe', { token: bot.token, body: { request_url: url } });
    expect([subscribed.status, subscribed.body.verified]).toEqual([201, true]);
    const again = await rest(server, 'POST /events/subscribe', { token: bot.token, body: { request_url: url } });
    expect([again.status, again.body.id]).toEqual([200, subscribed.body.id]);

    const made = await call(admin.token, 'conversations.create', { name: 'fun' });
    const channel = (made['channel'] as Json)['id'] as string;
    await call(bot.token, 'conversations.join', { channel });
    const posted = await call(admin.token, 'chat.postMessage', { channel, text: 'hello' });
    await call(admin.token, 'chat.update', { channel, ts: posted['ts'], text: 'changed' });
    await call(admin.token, 'reactions.add', { channel, timestamp: posted['ts'], name: 'tada' });
    await call(admin.token, 'reactions.remove', { channel, timestamp: posted['ts'], name: 'tada' });
    await call(admin.token, 'chat.delete', { channel, ts: posted['ts'] });
    await call(admin.token, 'users.profile.set', { profile: { title: 'Boss' } });
    await call(admin.token, 'users.setPresence', { presence: 'away' });
    const ann = await ws.user();
    await call(admin.token, 'conversations.invite', { channel, users: ann.id });
    await call(admin.token, 'conversations.kick', { channel, user: ann.id });
    await call(admin.token, 'conversations.archive', { channel });

    await eventually(() => heard.at(-1)?.['subtype'] === 'channel_archive', 'the last event');
    expect(heard.map((event) => [event['type'], event['subtype']].filter(Boolean).join('/'))).toEqual([
      'channel_created',
      'member_joined_channel',
      'message/channel_join',
      'message',
      'message/message_changed',
      'reaction_added',
      'reaction_removed',
      'message/message_deleted',
      'user_change',
      'presence_change',
      'member_joined_channel',
      'message/channel_join',
      'member_left_channel',
      'message/channel_leave',
      'channel_archive',
      'message/channel_archive',
    ]);
    const envelopes = heard.map((event) => event['envelope'] as Json);
    expect(new Set(envelopes.map((envelope) => envelope['event_id'])).size).toBe(heard.length);
    for (const envelope of envelopes) {
      expect(envelope).toMatchObject({
        type: 'event_callback',
        event_id: expect.stringMatching(/^Ev0[0-9A-Z]{9}$/),
        authorizations: [{ team_id: ws.id, user_id: bot.userId, is_bot: true }],
      });
    }
    expect(heard.every((event) => event['bot'] === bot.userId)).toBe(true);
  });

  it('receives a failed event again with the same id, and a new timestamp and signature', async () => {
    const ws = await server.workspace();
    const { app, url, bot, admin } = await boltApp(ws);
    const tries: { num: unknown; reason: unknown; id: unknown }[] = [];
    app.message('fragile', async ({ body, context }) => {
      tries.push({ num: context.retryNum, reason: context.retryReason, id: body.event_id });
    });
    // Bolt acknowledges by itself, so this fails before Bolt sees the request
    let failures = 1;
    const { createServer } = await import('node:http');
    const proxy = createServer((request, reply) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks);
        if (body.includes('fragile') && failures-- > 0) return void reply.writeHead(500).end();
        void fetch(url, { method: 'POST', headers: headersOf(request.headers), body }).then(async (answer) =>
          reply.writeHead(answer.status).end(await answer.text()),
        );
      });
    });
    await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
    running.push({ stop: () => new Promise((closed) => proxy.close(closed)) });
    const request_url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/`;
    const subscribed = await rest(server, 'POST /events/subscribe', {
      token: bot.token,
      body: { request_url, events: ['message.channels'] },
    });
    expect(subscribed.body.verified).toBe(true);

    await call(admin.token, 'chat.postMessage', { channel: ws.general.id, text: 'fragile' });
    await eventually(() => tries.length === 1, 'the retry');
    expect(tries).toEqual([{ num: 1, reason: 'http_error', id: expect.stringMatching(/^Ev0/) }]);
  });

  it('answers a slash command with ack and respond', async () => {
    const ws = await server.workspace();
    const { app, url, bot, admin } = await boltApp(ws);
    const posts = async () => (await ws.recorded('message')).filter(({ subtype }) => subtype !== 'channel_join');
    app.command('/deploy', async ({ ack, respond, command }) => {
      await ack({ response_type: 'in_channel', text: `deploying ${command.text} in ${command.channel_name}` });
      await respond({ response_type: 'in_channel', text: 'done' });
    });
    const command = await rest(server, 'POST /commands', { token: bot.token, body: { command: 'deploy', url } });
    expect([command.status, command.body.command]).toEqual([201, '/deploy']);
    const { status, body } = await rest(server, 'POST /commands/execute', {
      token: admin.token,
      body: { command: '/deploy prod now', channel: ws.general.id },
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      command_id: command.body.id,
      channel_id: ws.general.id,
      trigger_id: expect.stringMatching(/^\d{13}\.\d{12}\.[0-9a-f]{24}$/),
      response_url: expect.stringMatching(/\/api\/interactions\/respond\/[A-Za-z0-9]{32}$/),
      transport: 'http',
      status_code: 200,
      response: { response_type: 'in_channel', text: 'deploying prod now in general' },
      message_ts: expect.any(String),
    });
    await eventually(async () => (await posts()).length === 2, 'the response');
    const [first, second] = await posts();
    expect(first).toMatchObject({ text: 'deploying prod now in general', user: bot.userId, ts: body.message_ts });
    expect(second).toMatchObject({ text: 'done', user: bot.userId });
  });

  it('receives a click on its button and replaces the message', async () => {
    const ws = await server.workspace();
    const { app, url, admin, made } = await boltApp(ws);
    await ws.setInteractivityUrl(made.id as string, url);
    const posted = await call(made.bot_token as string, 'chat.postMessage', {
      channel: ws.general.id,
      text: 'approve?',
      blocks: [
        {
          type: 'actions',
          block_id: 'b1',
          elements: [{ type: 'button', action_id: 'approve', value: '42', text: { type: 'plain_text', text: 'OK' } }],
        },
      ],
    });
    app.action('approve', async ({ ack, respond, action, body }) => {
      await ack();
      await respond({
        replace_original: true,
        text: `approved ${(action as { value: string }).value} by ${body.user.id}`,
      });
    });
    const click = await rest(server, 'POST /interactions', {
      token: admin.token,
      body: { channel: ws.general.id, message_ts: posted['ts'], actions: [{ action_id: 'approve' }] },
    });
    expect(click.body).toMatchObject({ status_code: 200, response: null });
    const changed = async (): Promise<Json | undefined> =>
      (await ws.recorded('message')).find((event) => event['subtype'] === 'message_changed');
    await eventually(async () => (await changed()) !== undefined, 'the replaced message');
    const { message } = (await changed()) as { message: Json };
    expect(message).toMatchObject({ text: `approved 42 by ${ws.admin.id}`, ts: posted['ts'] });
    expect(message).not.toHaveProperty('blocks');
  });
});

function headersOf(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => /^(content-type|x-slack-|svc-)/.test(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}
