import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestApp } from '../support/app.js';
import { rest } from '../support/rest-client.js';
import { TestSandbox } from '../support/sandbox.js';
import { tinyUiBuild } from '../support/ui-build.js';

const OPERATOR = { 'x-admin-token': 'operator-of-the-tests' };

// docs/reference/web-ui.md#reading
describe('read calls of the web UI', () => {
  let app: TestApp;
  beforeAll(async () => {
    // a tracker that allows two requests an hour
    app = await TestApp.start({ SVC_MODE: 'full', SVC_TRACKER_REQUESTS_PER_HOUR: '2' }, tinyUiBuild());
  });
  afterAll(() => app.stop());

  /** A sandbox with both products, its owner signed in to the web UI, and a session of acting as another user. */
  async function setUp() {
    const sandbox = await TestSandbox.make(app);
    const { id } = (await sandbox.control('GET', '')).body;
    const made = await sandbox.send('POST', `/api/sandboxes/${id}/ui-link`, OPERATOR, {});
    const key = new URLSearchParams(new URL(made.body.url).hash.slice(1)).get('key');
    const { body } = await rest(app, 'POST /ui/session/link', {
      body: { key },
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    const ui = { authorization: `Bearer ${body.accessToken}` };
    const acting = (await sandbox.send('POST', '/api/sandboxes/self/act-as', ui, { user: 'alice' })).body;
    return { sandbox, ui, acting: { authorization: `Bearer ${acting.access_token}` } };
  }

  const calls = async (sandbox: TestSandbox): Promise<{ method: string; client?: string; acted_by?: string }[]> =>
    (await sandbox.control('GET', '/timeline?kind=call&limit=200')).body.entries;

  it('are not recorded in the journal, while writes are recorded as calls of the UI', async () => {
    const { sandbox, ui, acting } = await setUp();
    const before = (await calls(sandbox)).length;
    for (const as of [ui, acting]) {
      expect((await sandbox.call('conversations.list', {}, as)).body.ok).toBe(true);
      expect((await sandbox.send('POST', '/api/ui/sidebar', as, { marks: {} })).status).toBe(200);
      expect((await sandbox.send('GET', '/api/apps', as)).status).toBe(200);
      const viewer = await sandbox.send('POST', '/graphql', as, { query: '{ viewer { id } }' });
      expect(viewer.body.data.viewer.id).toEqual(expect.any(String));
    }
    expect(await calls(sandbox)).toHaveLength(before);
    expect((await sandbox.send('POST', '/api/ui/sidebar', sandbox.person, {})).status).toBe(403);
    await sandbox.call('chat.postMessage', { channel: 'general', text: 'from the UI' }, ui);
    const label = `mutation { issueLabelCreate(input: { name: "From the UI" }) { success } }`;
    expect((await sandbox.send('POST', '/graphql', acting, { query: label })).body).toMatchObject({
      data: { issueLabelCreate: { success: true } },
    });
    const written = (await calls(sandbox)).slice(before);
    expect(written).toMatchObject([
      { method: 'chat.postMessage', client: 'ui' },
      { method: 'issueLabelCreate', client: 'ui', acted_by: expect.stringMatching(/^U0/) },
    ]);
    expect(written[0]).not.toHaveProperty('acted_by');
  });

  it('mark nothing as read for other users or for the same user elsewhere', async () => {
    const { sandbox, ui } = await setUp();
    const { channels } = (await sandbox.call('conversations.list', {}, ui)).body;
    const general = channels.find(({ name }: { name: string }) => name === 'general');
    const before = (await sandbox.call('conversations.info', { channel: general.id }, sandbox.person)).body;
    await sandbox.call('conversations.history', { channel: general.id }, ui);
    await sandbox.send('POST', '/api/ui/sidebar', ui, { marks: { [general.id]: '9999999999.000000' } });
    expect((await sandbox.call('conversations.info', { channel: general.id }, sandbox.person)).body).toEqual(before);
    expect(before.ok).toBe(true);
  });

  it('use no rate limit of methods, and no requests or complexity of the tracker', async () => {
    const { sandbox, ui } = await setUp();
    for (let i = 0; i < 30; i++) {
      expect((await sandbox.call('conversations.list', {}, ui)).status).toBe(200);
      const answer = await sandbox.send('POST', '/graphql', ui, { query: '{ viewer { id } }' });
      expect([answer.status, answer.headers.get('x-ratelimit-requests-remaining')]).toEqual([200, '2']);
    }
    expect((await sandbox.control('GET', '/limits')).body.limits).toEqual([]);
    const key = await Promise.all([1, 2, 3].map(() => sandbox.graphql('{ viewer { id } }')));
    expect(key.map(({ status }) => status).sort()).toEqual([200, 200, 400]);
  });

  it('are not affected by faults, while writes are', async () => {
    const { sandbox, ui } = await setUp();
    for (const method of ['conversations.list', 'chat.postMessage', 'viewer']) {
      const made = await sandbox.control('POST', '/faults', {
        on: { method },
        fault: { type: 'ratelimited', retry_after: 7 },
        times: null,
      });
      expect(made.status, JSON.stringify(made.body)).toBe(201);
    }
    expect((await sandbox.call('conversations.list', {}, ui)).status).toBe(200);
    expect((await sandbox.send('POST', '/api/ui/sidebar', ui, {})).status).toBe(200);
    const viewer = await sandbox.send('POST', '/graphql', ui, { query: '{ viewer { id } }' });
    expect(viewer.body).not.toHaveProperty('errors');
    expect((await sandbox.call('chat.postMessage', { channel: 'general', text: 'x' }, ui)).status).toBe(429);
    expect((await sandbox.call('conversations.list', {}, sandbox.person)).status).toBe(429);
  });

  it('use the organization of the workspace, whatever was used last', async () => {
    const { ui, sandbox } = await setUp();
    const { body } = await sandbox.send('POST', '/graphql', ui, { query: '{ organization { urlKey } }' });
    expect(body.data.organization.urlKey).toBe(sandbox.made.tracker.url_key);
  });

  it('are limited to one workspace: a session started by a link opens no other', async () => {
    const { ui } = await setUp();
    const other = await app.workspace();
    const token = ui.authorization.slice(7);
    const refused = await rest(app, 'POST /ui/sidebar', { token, body: { team_id: other.id } });
    expect(refused.status).toBe(404);
  });
});
