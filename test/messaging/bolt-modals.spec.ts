import { App, HTTPReceiver, LogLevel } from '@slack/bolt';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { rest } from '../support/rest-client.js';

const running: { stop(): Promise<unknown> }[] = [];
const label = (text: string) => ({ type: 'plain_text' as const, text });
const form = (callback_id: string) => ({
  type: 'modal' as const,
  callback_id,
  title: label('Deploy'),
  submit: label('Go'),
  blocks: [
    {
      type: 'input' as const,
      block_id: 'what',
      label: label('What'),
      element: { type: 'plain_text_input' as const, action_id: 'it' },
    },
  ],
});

describe('a Bolt app with modals', () => {
  const server = useApp();
  afterAll(async () => {
    await Promise.all(running.splice(0).map((one) => one.stop()));
  });

  it('opens one with a slash command; a submission is refused, updated, pushed and cleared', async () => {
    const ws = await server.workspace();
    const admin = await ws.jwtClient({ user: ws.admin });
    const { body: made } = await rest(server, 'POST /apps', {
      token: admin.token,
      body: {
        manifest: {
          display_information: { name: 'bolt' },
          oauth_config: { scopes: { bot: ['chat:write', 'chat:write.public', 'commands'] } },
        },
      },
    });
    const receiver = new HTTPReceiver({ signingSecret: made.credentials.signing_secret, logLevel: LogLevel.ERROR });
    const app = new App({
      token: made.bot_token,
      receiver,
      logLevel: LogLevel.ERROR,
      clientOptions: { slackApiUrl: `${server.baseUrl}/api/`, retryConfig: { retries: 0 } },
    });
    const listening = (await receiver.start(0)) as unknown as Server;
    running.push({ stop: () => receiver.stop() as Promise<unknown> });
    const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}/slack/events`;
    await ws.setInteractivityUrl(made.id as string, url);
    await rest(server, 'POST /commands', { token: made.bot_token, body: { command: '/deploy', url } });

    app.command('/deploy', async ({ ack, body, client }) => {
      await ack();
      await client.views.open({ trigger_id: body.trigger_id, view: form('first') });
    });
    app.view('first', async ({ ack, view }) => {
      const value = view.state.values['what']?.['it']?.value;
      if (value === 'nothing') await ack({ response_action: 'errors', errors: { what: 'say more' } });
      else await ack({ response_action: 'update', view: form('second') });
    });
    app.view('second', async ({ ack }) => ack({ response_action: 'push', view: form('third') }));
    app.view('third', async ({ ack, body, client }) => {
      await ack({ response_action: 'clear' });
      await client.chat.postMessage({ channel: ws.general.id, text: `<@${body.user.id}> deploys` });
    });

    const person = await ws.jwtClient();
    const act = (verb: string, body: object) => rest(server, `POST /act/${verb}`, { token: person.token, body });
    const opened = await act('command', { channel: 'general', command: '/deploy', until: 'reply', wait_ms: 5000 });
    expect(opened.body).toMatchObject({
      deliveries: [{ kind: 'slash_command', outcome: 'acked' }],
      replies: { views: [{ callback_id: 'first', type: 'modal' }] },
      timed_out: false,
    });
    const viewId = opened.body.replies.views[0].id as string;
    const refused = await act('submit', { view_id: viewId, values: { it: 'nothing' } });
    expect(refused.body.result).toMatchObject({ closed: false, errors: { what: 'say more' } });
    const updated = await act('submit', { view_id: viewId, values: { it: 'all' } });
    expect(updated.body.result).toMatchObject({ closed: false, view: { id: viewId, callback_id: 'second' } });
    const pushed = await act('submit', { view_id: viewId });
    expect(pushed.body.result).toMatchObject({ view: { callback_id: 'third', previous_view_id: viewId } });
    const cleared = await act('submit', {
      view_id: pushed.body.result.view.id,
      values: { what: { it: 'now' } },
      wait_ms: 5000,
    });
    expect(cleared.body.result).toEqual({ closed: true, errors: {}, view: null });
  });
});
