import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, type Sandbox } from '../../clients/js/src/testing.js';
import { slackSignature, svcSignature } from '../../src/webhooks/signing.js';
import { useApp } from '../support/app.js';
import { closeReceivers, receiver, type Received, type Receiver } from '../support/receiver.js';
import { ensureBuilt, command, run, type Running } from '../support/server-process.js';

const app = useApp();
closeReceivers();

describe('understudy listen', { timeout: 60_000 }, () => {
  let sandbox: Sandbox;
  let env: Record<string, string>;
  const running: Running[] = [];

  beforeAll(async () => {
    ensureBuilt();
    sandbox = await connect({ url: app.baseUrl, adminToken: app.settings.adminToken as string }).createSandbox({
      users: ['alice'],
      channels: [{ name: 'war-room', members: ['alice', 'default-app', 'deploy-bot', 'audit-bot'] }],
      apps: ['deploy-bot', 'audit-bot', 'quiet-bot'].map((name) => ({ name, scopes: { bot: ['chat:write'] } })),
    });
    env = { SVC_API_URL: `${app.baseUrl}/api`, SVC_SANDBOX_TOKEN: sandbox.credentials.control_token };
  }, 300_000);
  afterAll(async () => {
    await Promise.all(running.map((one) => one.kill('SIGTERM')));
    await sandbox.delete({ force: true });
  });

  /** A listener with open streams, which it announces in its output. */
  async function listen(...args: string[]): Promise<Running> {
    const listening = run('bin/understudy.mjs', ['listen', ...args], env);
    running.push(listening);
    await listening.logged('Ctrl+C ends it');
    return listening;
  }

  async function post(body: object): Promise<void> {
    const { SLACK_API_URL, SLACK_BOT_TOKEN } = sandbox.env('deploy-bot');
    await fetch(`${SLACK_API_URL}chat.postMessage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${SLACK_BOT_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  const lines = (one: Running): string[] => one.stdout.split('\n').filter((line) => line !== '');
  const shows = (one: Running, count: number): Promise<unknown> =>
    expect.poll(() => lines(one).length, { timeout: 15_000 }).toBeGreaterThanOrEqual(count);

  it('prints each entry on a line as it happens, and exits cleanly', async () => {
    const [all, calls, json] = await Promise.all([
      listen(),
      listen('--only', 'calls,deliveries', '--method', 'chat.*'),
      listen('--json', '--only', 'events'),
    ]);
    await post({ channel: 'war-room', text: 'over' });
    await post({ channel: 'C0NOWHERE00', text: 'lost' });
    await shows(calls, 2);
    await shows(all, 3);
    await shows(json, 1);
    expect(lines(calls)[0]).toMatch(/^\d\d:\d\d:\d\d POST chat\.postMessage deploy-bot → ok \d+ ms$/);
    expect(lines(calls)[1]).toMatch(/^\d\d:\d\d:\d\d POST chat\.postMessage deploy-bot → channel_not_found \d+ ms$/);
    expect(calls.stdout).not.toContain('event ');
    expect(all.stdout).toMatch(/^\d\d:\d\d:\d\d event message message: over$/m);
    expect(JSON.parse(lines(json)[0] as string)).toMatchObject({
      kind: 'event',
      event: 'message',
      data: { text: 'over' },
    });
    for (const one of [all, calls, json]) {
      expect(await one.kill('SIGTERM')).toMatchObject({ code: 0 });
      expect(one.stdout).not.toContain('\x1b[');
    }
  });

  describe('--forward-to', () => {
    const answers =
      (status: number, headers = {}): Receiver['answer'] =>
      (_, reply) =>
        void reply.writeHead(status, headers).end();
    const eventOf = ({ body }: Received) =>
      JSON.parse(body) as { api_app_id: string; event: { type: string; text?: string; reaction?: string } };
    const appOf = (name: string) =>
      sandbox.credentials.apps[name] as NonNullable<Sandbox['credentials']['apps'][string]>;

    it('sends every event, signed, to the default app if no app has a subscription', async () => {
      await sandbox.reset();
      const hook = await receiver();
      await listen('--forward-to', hook.url);
      await post({ channel: 'war-room', text: 'for all' });
      const [one] = await hook.until(({ length }) => length > 0);
      const { headers, body } = one as Received;
      const { signing_secret: secret, verification_token: token } = sandbox.credentials;
      const time = String(headers['x-slack-request-timestamp']);
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'x-slack-signature': slackSignature(secret, time, body),
        'svc-signature': svcSignature(secret, body),
        'user-agent': expect.stringContaining('Slackbot'),
      });
      expect(headers).not.toHaveProperty('x-slack-retry-num');
      expect(Math.abs(Date.now() / 1000 - Number(time))).toBeLessThan(60);
      const { team_id } = { team_id: sandbox.teamId };
      expect(JSON.parse(body)).toEqual({
        token,
        team_id,
        context_team_id: team_id,
        context_enterprise_id: null,
        api_app_id: expect.stringMatching(/^A0/),
        event: expect.objectContaining({ type: 'message', text: 'for all', channel_type: 'channel' }),
        type: 'event_callback',
        event_id: expect.stringMatching(/^Ev0[0-9A-Z]{9}$/),
        event_time: expect.any(Number),
        authorizations: [
          {
            enterprise_id: null,
            team_id,
            user_id: expect.stringMatching(/^U/),
            is_bot: true,
            is_enterprise_install: false,
          },
        ],
        is_ext_shared_channel: false,
        event_context: expect.stringMatching(/^4-[\w-]+$/),
      });
    });

    it('sends each app the events of its subscriptions, and mentions to the mentioned app', async () => {
      await sandbox.reset();
      const elsewhere = await receiver();
      const subscriptions: Record<string, string[]> = {
        'deploy-bot': ['app_mention', 'message.channels'],
        'audit-bot': ['app_mention', 'reaction_added'],
      };
      await sandbox.seed({
        apps: Object.entries(subscriptions).map(([name, events]) => ({
          name,
          event_subscriptions: { request_url: elsewhere.url, events },
        })),
      });
      const [hook, audit] = await Promise.all([receiver(), receiver()]);
      const [both] = await Promise.all([
        listen('--forward-to', hook.url),
        listen('--forward-to', audit.url, '--app', 'audit-bot'),
      ]);
      const message = await sandbox.as('alice').post('#war-room', 'hi <@audit-bot>, <@deploy-bot>');
      await sandbox.as('alice').react(message, 'eyes');
      await sandbox.as('alice').openDm('deploy-bot', 'not of a channel');
      await sandbox.as('alice').post('#war-room', 'the last');
      await hook.until((received) => received.some((one) => eventOf(one).event.text === 'the last'));
      const eventsOf = (received: Received[], name: string): string[] =>
        received
          .map(eventOf)
          .filter(({ api_app_id }) => api_app_id === appOf(name).app_id)
          .map(({ event }) => event.type);
      expect(eventsOf(hook.received, 'deploy-bot').sort()).toEqual(['app_mention', 'message', 'message']);
      expect(eventsOf(hook.received, 'audit-bot').sort()).toEqual(['app_mention', 'reaction_added']);
      await audit.until(({ length }) => length >= 2);
      expect(eventsOf(audit.received, 'deploy-bot')).toEqual([]);
      for (const one of hook.received) {
        const name = eventOf(one).api_app_id === appOf('audit-bot').app_id ? 'audit-bot' : 'deploy-bot';
        const time = String(one.headers['x-slack-request-timestamp']);
        expect(one.headers['x-slack-signature']).toBe(slackSignature(appOf(name).signing_secret, time, one.body));
      }
      // the secrets are never printed
      for (const name of Object.keys(subscriptions)) expect(both.stderr).not.toContain(appOf(name).signing_secret);
    });

    it('tries once, follows no redirect, and reports an answer that is not 2xx', async () => {
      await sandbox.reset();
      const aim = await receiver();
      const hook = await receiver(answers(302, { location: aim.url }));
      const listening = await listen('--forward-to', hook.url, '--app', 'quiet-bot');
      await post({ channel: 'war-room', text: 'one' });
      await listening.logged('→ 302');
      hook.answer = answers(500);
      await post({ channel: 'war-room', text: 'two' });
      await listening.logged('→ 500');
      await hook.close();
      await post({ channel: 'war-room', text: 'three' });
      expect(await listening.logged('→ ECONN')).toContain('forward message to quiet-bot');
      expect(hook.received.map((one) => eventOf(one).event.text)).toEqual(['one', 'two']);
      expect(aim.received).toEqual([]);
    });

    it('refuses an invalid address and an unknown app', async () => {
      const [address, name] = await Promise.all([
        command(['listen', '--forward-to', '9000'], env),
        command(['listen', '--forward-to', 'http://127.0.0.1:9000', '--app', 'nobody'], env),
      ]);
      expect(address).toMatchObject({ code: 2, stderr: expect.stringContaining('must be an address') });
      expect(name).toMatchObject({ code: 1, stderr: expect.stringContaining('this sandbox has no app nobody') });
    });
  });

  it('exits at once without a server, or when the server refuses it', async () => {
    const [nobody, refused, kinds] = await Promise.all([
      command(['listen'], { ...env, SVC_API_URL: 'http://127.0.0.1:1/api' }),
      command(['listen'], { ...env, SVC_SANDBOX_TOKEN: 'svc_sbx_wrong' }),
      command(['listen', '--only', 'everything'], env),
    ]);
    expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining('no answer from') });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/the server answered 401 \w+\n/) });
    expect(kinds).toMatchObject({ code: 2, stderr: expect.stringContaining('calls, events, deliveries') });
  });
});
