import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestApp, useApp } from '../../support/app.js';
import { rest } from '../../support/rest-client.js';
import { OPERATOR, send } from '../../support/sandbox-routes.js';
import { socketApp } from '../../support/socket-app.js';
import { WorkspaceBuilder } from '../../support/workspace.js';

const unknown = (name: string) => ({ ok: false, error: 'unknown_method', req_method: name });

/** Calls a method with the given bytes, without authorization when no token is given. */
async function post(app: TestApp, name: string, token?: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${app.baseUrl}/api/${name}`, {
    method: 'POST',
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
  return (await response.json()) as Record<string, unknown>;
}

describe('SVC_METHODS=core, the default', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start({ SVC_METHODS: '' });
  });
  afterAll(() => app.stop());

  it('answers unknown_method for the other methods, before and after authentication', async () => {
    const ws = await WorkspaceBuilder.create(app, {});
    const bot = await ws.bot();
    for (const name of ['api.test', 'team.info', 'files.upload', 'rtm.start', 'channels.list']) {
      for (const token of [undefined, 'xoxb-nobody', bot.token]) {
        expect(await post(app, name, token)).toEqual(unknown(name));
      }
    }
    expect(await post(app, 'auth.test')).toEqual({ ok: false, error: 'not_authed' });
  });

  it('serves apps.connections.open to app-level tokens; for all others the method is unknown', async () => {
    const ws = await WorkspaceBuilder.create(app, {});
    const { app_token: token } = await socketApp(ws);
    const open = (sent?: string) => post(app, 'apps.connections.open', sent);
    expect(await open(token as string)).toEqual({ ok: true, url: expect.stringContaining('/link/?ticket=') });
    for (const wrong of [`xapp-1-A0NOBODY001-1767225600000-${'0'.repeat(64)}`, 'xapp-x']) {
      expect(await open(wrong)).toEqual({ ok: false, error: 'invalid_auth' });
    }
    const inBody = await fetch(`${app.baseUrl}/api/apps.connections.open`, {
      method: 'POST',
      body: new URLSearchParams({ token: token as string }),
    });
    expect(await inBody.json()).toEqual({ ok: false, error: 'not_authed' });
    for (const other of [undefined, 'xoxb-nobody', (await ws.bot()).token, (await ws.jwtClient()).token]) {
      expect(await open(other)).toEqual(unknown('apps.connections.open'));
    }
  });

  it('sends no scope headers for a method it does not serve', async () => {
    const ws = await WorkspaceBuilder.create(app, {});
    const { headers } = await (await ws.bot()).wire('team.info');
    expect([headers.get('x-oauth-scopes'), headers.get('x-accepted-oauth-scopes')]).toEqual([null, null]);
  });

  it('warns of event kinds that only the other methods cause', async () => {
    const ws = await WorkspaceBuilder.create(app, {});
    const { token } = await ws.jwtClient({ user: ws.admin });
    const made = (bot_events: string[]) =>
      rest(app, 'POST /apps', {
        token,
        body: {
          manifest: { display_information: { name: 'kinds' }, settings: { event_subscriptions: { bot_events } } },
        },
      });
    const { body } = await made(['message', 'app_mention', 'pin_added', 'link_shared', 'star_added']);
    const at = 'settings.event_subscriptions.bot_events';
    expect(body.warnings).toEqual([
      `${at}[2]: nothing causes "pin_added" here (its methods are there with SVC_METHODS=all)`,
      `${at}[4]: nothing causes "star_added" here`,
    ]);
    expect((await made(['message', 'group_open', 'channel_rename'])).body).not.toHaveProperty('warnings');
  });

  it('warns of scopes that only the other methods need, wherever a manifest is sent', async () => {
    const ws = await WorkspaceBuilder.create(app, {});
    const { token } = await ws.jwtClient({ user: ws.admin });
    const bot = [
      'chat:write',
      'pins:write',
      'links:read',
      'links:write',
      'files:read',
      'team:read',
      'users:read.email',
    ];
    const manifest = {
      display_information: { name: 'scopes' },
      oauth_config: { scopes: { bot } },
      settings: { event_subscriptions: { bot_events: ['file_shared'] } },
    };
    const why = 'here (its methods are there with SVC_METHODS=all)';
    const at = (prefix = '') => [
      ...[1, 3, 4].map((i) => `${prefix}oauth_config.scopes.bot[${i}]: nothing needs "${bot[i] as string}" ${why}`),
      `${prefix}settings.event_subscriptions.bot_events[0]: nothing causes "file_shared" ${why}`,
    ];
    const { body } = await rest(app, 'POST /apps', { token, body: { manifest } });
    expect(body.warnings).toEqual(at());
    const path = `PUT /apps/${body.id as string}/manifest`;
    expect((await rest(app, path, { token, body: { manifest } })).body.warnings).toEqual(at());
    const team = { name: 'Provisioned' };
    const provisioned = await rest(app, 'POST /admin/provision', {
      headers: OPERATOR,
      body: { team, app: { manifest } },
    });
    expect(provisioned.body.warnings).toEqual(at('app.manifest.'));
    const sandbox = (methods?: string) =>
      send(app, 'POST', '/api/sandboxes', OPERATOR, { ...(methods && { methods }), apps: [{ manifest }] });
    expect((await sandbox()).body.warnings).toEqual(at('apps[0].manifest.'));
    expect((await sandbox('all')).body).not.toHaveProperty('warnings');
  });
});

describe('SVC_METHODS=all', () => {
  const app = useApp();

  it('authenticates calls of the further methods first, and answers unknown_method for unknown ones', async () => {
    expect(await post(app, 'team.info')).toEqual({ ok: false, error: 'not_authed' });
    expect(await post(app, 'team.info', 'xoxb-nobody')).toEqual({ ok: false, error: 'invalid_auth' });
    for (const name of ['files.upload', 'rtm.connect', 'channels.list', 'groups.list', 'im.list', 'mpim.list'])
      expect(await post(app, name)).toEqual(unknown(name));
  });
});
