import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { rest } from '../support/rest-client.js';
import { bearer, makeSandbox, send } from '../support/sandbox-routes.js';
import { socketApp } from '../support/socket-app.js';
import { postGraphql } from '../support/tracker.js';
import { TestSandbox } from '../support/sandbox.js';
import { unique } from '../support/unique.js';

describe('urls of a sandbox', () => {
  const app = useApp();

  it('have the vendor’s forms where the sandbox asks for them, and the server’s again later', async () => {
    const sandbox = await TestSandbox.make(app);
    expect((await sandbox.control('GET', '')).body).toMatchObject({ urls: 'server' });
    const own = (await sandbox.call('auth.test', {})).body;
    expect(own.url).toBe(`${app.baseUrl}/`);

    expect((await sandbox.control('PATCH', '', { urls: 'vendor' })).body).toMatchObject({ urls: 'vendor' });
    const { url } = (await sandbox.call('auth.test', {})).body as { url: string };
    expect(url).toMatch(/^https:\/\/[a-z0-9-]+\.slack\.com\/$/);
    expect((await sandbox.call('team.info', {})).body).toMatchObject({ team: { url } });
    const { channel, ts } = (await sandbox.call('chat.postMessage', { channel: '#general', text: 'findable' })).body;
    const link = `${url}archives/${channel}/p${String(ts).replace('.', '')}`;
    const asked = await sandbox.call('chat.getPermalink', { channel, message_ts: ts });
    expect(asked.body).toMatchObject({ ok: true, permalink: link });
    await sandbox.call('pins.add', { channel, timestamp: ts });
    await sandbox.call('reactions.add', { channel, timestamp: ts, name: 'eyes' });
    const pins = await sandbox.call('pins.list', { channel });
    expect(pins.body).toMatchObject({ items: [{ message: { permalink: link } }] });
    const reactions = await sandbox.call('reactions.get', { channel, timestamp: ts });
    expect(reactions.body).toMatchObject({ message: { permalink: link } });
    const found = await sandbox.call('search.messages', { query: 'findable' }, sandbox.person);
    expect(found.body).toMatchObject({ messages: { matches: [{ permalink: link }] } });
    const slot = await sandbox.call('files.getUploadURLExternal', { filename: 'a.txt', length: 5 });
    const { upload_url: upload, file_id: id } = slot.body as { upload_url: string; file_id: string };
    expect(upload).toMatch(/^https:\/\/files\.slack\.com\/upload\/v1\//);
    const sent = await fetch(`${app.baseUrl}${new URL(upload).pathname}`, { method: 'POST', body: 'hello' });
    expect(await sent.text()).toBe('OK - 5');
    const done = await sandbox.call('files.completeUploadExternal', { files: [{ id }], channel_id: channel });
    expect(done.body.files[0]).toMatchObject({
      url_private: expect.stringMatching(/^https:\/\/files\.slack\.com\/files-pri\//),
      permalink: expect.stringContaining(`${url}files/`),
    });

    const query = '{ viewer { url } teams { nodes { id } } }';
    const answer = await postGraphql(app, JSON.stringify({ query }), sandbox.key);
    const { viewer, teams } = answer.body.data as { viewer: { url: string }; teams: { nodes: { id: string }[] } };
    expect(viewer.url).toMatch(/^https:\/\/linear\.app\/[\w-]+\/profiles\//);
    const create = `mutation { issueCreate(input: { teamId: "${teams.nodes[0]?.id}", title: "x" }) { issue { url } } }`;
    const made = await postGraphql(app, JSON.stringify({ query: create }), sandbox.key);
    expect(made.body.data).toMatchObject({
      issueCreate: { issue: { url: expect.stringMatching(/^https:\/\/linear\.app\/[\w-]+\/issue\//) } },
    });

    await sandbox.control('PATCH', '', { urls: null });
    expect((await sandbox.call('auth.test', {})).body).toEqual(own);
    const wrong = await sandbox.control('PATCH', '', { urls: 'others' });
    expect(wrong).toMatchObject({ status: 400, body: { message: ['urls must be server or vendor'] } });
  });

  it('have the vendor’s forms in the news of who joins, too', async () => {
    const { body, ctl } = await makeSandbox(app, { urls: 'vendor', team: { joinable: true } });
    const password = 'a-password-of-some-length';
    const email = `${unique('joiner')}@example.com`;
    const { body: signed } = await send(
      app,
      'POST',
      '/api/auth/signup',
      {},
      {
        email,
        password,
        name: 'Joan',
        team_id: body.team_id,
      },
    );
    const joiner = bearer(signed.accessToken);
    const joined = await send(app, 'POST', '/api/organization/join', joiner, { urlKey: body.url_key });
    expect(joined.status).toBe(200);
    const { body: timeline } = await send(app, 'GET', '/api/sandboxes/self/timeline?kind=event&product=tracker', ctl);
    expect(timeline.entries).toContainEqual(
      expect.objectContaining({
        event: 'user.created',
        data: expect.objectContaining({ url: expect.stringMatching(/^https:\/\/linear\.app\//) }),
      }),
    );
  });

  it('lead sockets and answers to commands to the vendor’s hosts', async () => {
    const ws = await app.workspace();
    const admin = await ws.jwtClient({ user: ws.admin });
    const patch = await rest(app, 'PATCH /sandboxes/self', { token: admin.token, body: { urls: 'vendor' } });
    expect(patch.status).toBe(200);
    const socket = await socketApp(ws);
    const opened = await fetch(`${app.baseUrl}/api/apps.connections.open`, {
      method: 'POST',
      headers: { authorization: `Bearer ${socket['app_token'] as string}` },
    });
    expect(await opened.json()).toMatchObject({
      url: expect.stringMatching(/^wss:\/\/wss-primary\.slack\.com\/link\/\?ticket=/),
    });
  });
});
