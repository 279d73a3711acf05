import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Db } from '../../src/kernel/database/db.js';
import { CONTENT_SWEEP } from '../../src/messaging/files/files.queries.js';
import { TestApp, useApp } from '../support/app.js';
import { Listener } from '../support/listener.js';
import { bearer, makeSandbox, OPERATOR, send, type Answer } from '../support/sandbox-routes.js';
import { eventually } from '../support/receiver.js';

type Ctl = Record<string, string>;

// docs/reference/sandboxes.md#snapshots
describe('Snapshots', () => {
  const app = useApp();
  const take = (ctl: Ctl, name?: unknown): Promise<Answer> =>
    send(app, 'POST', '/api/sandboxes/self/snapshots', ctl, name === undefined ? {} : { name });
  const list = async (ctl: Ctl): Promise<{ id: string; name: string; rows: number }[]> =>
    (await send(app, 'GET', '/api/sandboxes/self/snapshots', ctl)).body.snapshots;
  const reset = (ctl: Ctl, to?: unknown): Promise<Answer> =>
    send(app, 'POST', '/api/sandboxes/self/reset', ctl, to === undefined ? {} : { to });

  it('are listed, replaced under the same name, and deleted', async () => {
    const { ctl, body } = await makeSandbox(app);
    const first = await take(ctl, 'ready');
    expect(first).toMatchObject({
      status: 201,
      body: { id: expect.stringMatching(/^Sn0[0-9A-Z]{9}$/), name: 'ready', created: expect.any(Number) },
    });
    expect(first.body.rows).toBeGreaterThan(10);
    expect(first.body.bytes).toBeGreaterThan(first.body.rows);
    const second = await take(ctl);
    expect(await list(ctl)).toEqual([first.body, second.body]);
    const bot = bearer(body.credentials.bot_token);
    await send(app, 'POST', '/api/chat.postMessage', bot, { channel: '#general', text: 'one more' });
    const again = await take(ctl, 'ready');
    expect(again.body.rows).toBeGreaterThan(first.body.rows);
    expect((await list(ctl)).map(({ name }) => name).sort()).toEqual(['ready', second.body.name].sort());
    expect((await reset(ctl, first.body.id)).status).toBe(404);
    expect((await reset(ctl, again.body.id)).body).toMatchObject({ to: again.body.id, rows: again.body.rows });
    const gone = await send(app, 'DELETE', `/api/sandboxes/self/snapshots/${again.body.id}`, ctl);
    expect(gone.body).toEqual({ success: true });
    expect((await reset(ctl, 'ready')).body.message).toBe('snapshot_not_found');
    expect((await reset(ctl, second.body.name)).status).toBe(200);
  });

  it('refuse invalid names, and cannot replace the baseline', async () => {
    const { ctl } = await makeSandbox(app);
    for (const name of ['', ' ', 'x'.repeat(81), 7, 'baseline']) expect((await take(ctl, name)).status).toBe(400);
    const baseline = await send(app, 'DELETE', '/api/sandboxes/self/snapshots/baseline', ctl);
    expect(baseline.body).toMatchObject({ statusCode: 409, message: 'cant_delete_baseline' });
    expect((await send(app, 'DELETE', '/api/sandboxes/self/snapshots/nothing', ctl)).status).toBe(404);
    expect((await reset(ctl, 7)).status).toBe(400);
    expect((await reset(ctl, 'baseline')).body.to).toBe('baseline');
  });

  it('are limited to fifty; taking one under an existing name replaces it', async () => {
    const { ctl } = await makeSandbox(app);
    await take(ctl, 'last');
    for (let n = 2; n <= 50; n++) expect((await take(ctl, `number ${n}`)).status).toBe(201);
    expect((await take(ctl, 'one more')).body).toMatchObject({ statusCode: 409, message: 'too_many_snapshots' });
    expect((await take(ctl, 'last')).status).toBe(201);
  });

  it('move the baseline only with seed?baseline=true', async () => {
    const { ctl } = await makeSandbox(app);
    const count = async (): Promise<number> => (await send(app, 'GET', '/api/sandboxes/self', ctl)).body.counts.users;
    await send(app, 'POST', '/api/sandboxes/self/seed', ctl, { users: [{ name: 'a' }] });
    await reset(ctl);
    expect(await count()).toBe(1);
    await send(app, 'POST', '/api/sandboxes/self/seed?baseline=true', ctl, { users: [{ name: 'b' }, { name: 'c' }] });
    await send(app, 'POST', '/api/sandboxes/self/seed', ctl, { users: [{ name: 'd' }] });
    await reset(ctl);
    expect(await count()).toBe(3);
  });

  it('keep the bytes of files that are deleted later', async () => {
    const { ctl, body } = await makeSandbox(app, { channels: [{ name: 'ops', members: ['default-app'] }] });
    const { bot_token: token, channels } = body.credentials;
    const call = async (method: string, args: object): Promise<Answer['body']> =>
      (await send(app, 'POST', `/api/${method}`, bearer(token), args)).body;
    const { upload_url: url, file_id: id } = await call('files.getUploadURLExternal', { filename: 'a.txt', length: 5 });
    expect((await fetch(url, { method: 'POST', body: new TextEncoder().encode('hello') })).status).toBe(200);
    expect((await call('files.completeUploadExternal', { files: [{ id }], channel_id: channels.ops })).ok).toBe(true);
    await take(ctl, 'with the file');
    const { file } = await call('files.info', { file: id });
    expect((await call('files.delete', { file: id })).ok).toBe(true);
    const sweep = async (): Promise<void> => void (await CONTENT_SWEEP.run(app.nest.get(Db)));
    await sweep();
    expect((await reset(ctl, 'with the file')).status).toBe(200);
    const bytes = await fetch(file.url_private, { headers: bearer(token) });
    expect([bytes.status, await bytes.text()]).toEqual([200, 'hello']);
    // the baseline does not contain the file, so its bytes are deleted
    await reset(ctl);
    await send(app, 'DELETE', '/api/sandboxes/self/snapshots/with%20the%20file', ctl);
    await reset(ctl);
    await sweep();
    const left = await app.store.dataSource.query('SELECT 1 FROM file_contents WHERE workspace_id = $1', [
      body.team_id,
    ]);
    expect(left).toEqual([]);
  });

  it('leave no file without its bytes, when the same bytes are uploaded while they are swept', async () => {
    const { body } = await makeSandbox(app, { channels: [{ name: 'ops', members: ['default-app'] }] });
    const { bot_token: token } = body.credentials;
    const call = async (method: string, args: object): Promise<Answer['body']> =>
      (await send(app, 'POST', `/api/${method}`, bearer(token), args)).body;
    const place = (): Promise<Answer['body']> => call('files.getUploadURLExternal', { filename: 'a.txt', length: 5 });
    const upload = (url: string): Promise<Response> =>
      fetch(url, { method: 'POST', body: new TextEncoder().encode('hello') });
    const complete = async (id: string): Promise<string> => {
      expect((await call('files.completeUploadExternal', { files: [{ id }] })).ok).toBe(true);
      return (await call('files.info', { file: id })).file.url_private;
    };
    const isWaiting = async (): Promise<boolean> => {
      const waiting = await app.store.dataSource.query(
        `SELECT 1 FROM pg_stat_activity
         WHERE datname = current_database() AND query LIKE '%file_contents%' AND cardinality(pg_blocking_pids(pid)) > 0`,
      );
      return waiting.length > 0;
    };
    const gone = await place();
    await upload(gone.upload_url);
    await complete(gone.file_id);
    expect((await call('files.delete', { file: gone.file_id })).ok).toBe(true);
    // the sweep has found the bytes when the upload begins, and deletes what it found when the upload is done or waits
    const { upload_url: url, file_id: id } = await place();
    let uploading: Promise<Response> | undefined;
    await app.nest.get(Db).write(async (tx) => {
      const held = await tx.query<{ owner: string; hash: string }>(CONTENT_SWEEP.hold);
      expect(held.map(({ owner }) => owner)).toContain(body.team_id);
      let isDone = false;
      uploading = upload(url).finally(() => (isDone = true));
      await vi.waitFor(async () => expect(isDone || (await isWaiting())).toBe(true));
      await tx.query(CONTENT_SWEEP.remove, [held.map(({ owner }) => owner), held.map(({ hash }) => hash)]);
    });
    expect((await uploading)?.status).toBe(200);
    const bytes = await fetch(await complete(id), { headers: bearer(token) });
    expect([bytes.status, await bytes.text()]).toEqual([200, 'hello']);
  });

  it('do not restore what expires: views, triggers, ephemeral messages, statuses, response and upload URLs', async () => {
    const { ctl, body } = await makeSandbox(app, { channels: [{ name: 'ops', members: ['default-app', 'admin'] }] });
    const { bot_token: token, user_token: userToken, channels, admin } = body.credentials;
    const call = (method: string, args: object): Promise<Answer> =>
      send(app, 'POST', `/api/${method}`, bearer(token), args);
    const { url } = (await send(app, 'POST', '/api/sandboxes/self/inboxes', ctl, {})).body;
    await send(app, 'POST', '/api/commands', bearer(token), { command: '/go', url });
    await send(app, 'POST', '/api/sandboxes/self/seed?baseline=true', ctl, {});
    const execute = { command: '/go', text: '', channel_id: channels.ops };
    expect((await send(app, 'POST', '/api/commands/execute', bearer(userToken), execute)).status).toBe(200);
    const got = await send(app, 'POST', '/api/sandboxes/self/wait', ctl, { for: 'received', after: 'start' });
    const { trigger_id: trigger, response_url: responses } = got.body.entries[0].request.body;
    const modal = { type: 'modal', title: { type: 'plain_text', text: 'Modal' }, blocks: [{ type: 'divider' }] };
    const opened = await call('views.open', { trigger_id: trigger, view: modal });
    expect(opened.body.ok, JSON.stringify(opened.body)).toBe(true);
    const { ts } = (await call('chat.postMessage', { channel: channels.ops, text: 'thread' })).body;
    const status = { channel_id: channels.ops, thread_ts: ts, status: 'thinks' };
    expect((await call('assistant.threads.setStatus', status)).body.ok).toBe(true);
    const shown = { channel: channels.ops, user: admin.user_id, text: 'only for you' };
    expect((await call('chat.postEphemeral', shown)).body.ok).toBe(true);
    const upload = (await call('files.getUploadURLExternal', { filename: 'a.txt', length: 1 })).body.upload_url;
    const acting = (await send(app, 'POST', '/api/sandboxes/self/act-as', ctl, { user: 'admin' })).body.access_token;
    const screen = async (): Promise<number[]> => {
      const { modals, ephemeral, assistant } = (await send(app, 'GET', '/api/act/screen', bearer(acting))).body;
      return [modals.length, ephemeral.length, assistant.length];
    };
    expect(await screen()).toEqual([1, 1, 1]);
    expect((await reset(ctl)).status).toBe(200);
    // the sign-in session itself survives
    expect(await screen()).toEqual([0, 0, 0]);
    expect((await call('views.open', { trigger_id: trigger, view: modal })).body.ok).toBe(false);
    const late = await fetch(responses, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"text":"late"}',
    });
    expect(await late.text()).not.toBe('ok');
    expect((await fetch(upload, { method: 'POST', body: 'x' })).status).toBeGreaterThanOrEqual(400);
    const { messages } = (await call('conversations.history', { channel: channels.ops })).body;
    expect(messages).toEqual([]);
  });

  it('notify sockets of a reset once, and close those of users who no longer exist', async () => {
    const made = await makeSandbox(app, { users: [{ name: 'alice' }] });
    const { credentials } = made.body;
    const added = await send(app, 'POST', '/api/sandboxes/self/seed', made.ctl, { users: [{ name: 'bob' }] });
    const alice = await Listener.connect(app, { token: credentials.users.alice.access_token });
    const key = await Listener.connect(app, { token: credentials.api_key });
    const bob = await Listener.connect(app, { token: added.body.users.bob.access_token });
    expect((await reset(made.ctl)).status).toBe(200);
    await eventually(
      () => bob.ended !== undefined && alice.names.length > 0 && key.names.length > 0,
      'sockets that hear of the reset',
    );
    expect([alice.names, key.names]).toEqual([['sandbox_reset'], ['sandbox_reset']]);
    expect(bob.ended).toBe('io server disconnect');
    expect(alice.heard[0]?.data).toEqual({ sandbox_id: made.body.id, to: 'baseline' });
    expect([alice.ended, key.ended]).toEqual([undefined, undefined]);
  });
});

describe('A sandbox with more rows than a snapshot may have', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start({ SVC_SNAPSHOT_MAX_ROWS: '10' });
  });
  afterAll(() => app.stop());

  it('refuses a snapshot, but can be reset', async () => {
    const made = await send(app, 'POST', '/api/sandboxes', OPERATOR, {});
    const ctl = { 'x-sandbox-token': made.body.credentials.control_token };
    const refused = await send(app, 'POST', '/api/sandboxes/self/snapshots', ctl, {});
    expect(refused.body).toMatchObject({ statusCode: 409, message: 'sandbox_too_large' });
    expect((await send(app, 'POST', '/api/sandboxes/self/reset', ctl, {})).status).toBe(200);
  });
});
