import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestApp } from '../support/app.js';
import { rest } from '../support/rest-client.js';
import { TestSandbox } from '../support/sandbox.js';
import { tinyUiBuild } from '../support/ui-build.js';

const OPERATOR = { 'x-admin-token': 'operator-of-the-tests' };

// docs/reference/web-ui.md#reading
describe('what the web UI reads', () => {
  let app: TestApp;
  beforeAll(async () => {
    // a tracker where two requests an hour are all that there is
    app = await TestApp.start({ SVC_MODE: 'full', SVC_TRACKER_REQUESTS_PER_HOUR: '2' }, tinyUiBuild());
  });
  afterAll(() => app.stop());

  /** A sandbox with both products, its owner signed in to the web UI, and by a session of another kind. */
  async function scene() {
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

  it('stands in no journal, and what it writes stands there as its own', async () => {
    const { sandbox, ui, acting } = await scene();
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

  it('marks nothing as read: other people and the same person elsewhere see what they saw before', async () => {
    const { sandbox, ui } = await scene();
    const { channels } = (await sandbox.call('conversations.list', {}, ui)).body;
    const general = channels.find(({ name }: { name: string }) => name === 'general');
    const before = (await sandbox.call('conversations.info', { channel: general.id }, sandbox.person)).body;
    await sandbox.call('conversations.history', { channel: general.id }, ui);
    await sandbox.send('POST', '/api/ui/sidebar', ui, { marks: { [general.id]: '9999999999.000000' } });
    expect((await sandbox.call('conversations.info', { channel: general.id }, sandbox.person)).body).toEqual(before);
    expect(before.ok).toBe(true);
  });

  it('takes no allowance: of a method, of requests and points of the tracker', async () => {
    const { sandbox, ui } = await scene();
    for (let i = 0; i < 30; i++) {
      expect((await sandbox.call('conversations.list', {}, ui)).status).toBe(200);
      const answer = await sandbox.send('POST', '/graphql', ui, { query: '{ viewer { id } }' });
      expect([answer.status, answer.headers.get('x-ratelimit-requests-remaining')]).toEqual([200, '2']);
    }
    expect((await sandbox.control('GET', '/limits')).body.limits).toEqual([]);
    const key = await Promise.all([1, 2, 3].map(() => sandbox.graphql('{ viewer { id } }')));
    expect(key.map(({ status }) => status).sort()).toEqual([200, 200, 400]);
  });

  it('is hit by no fault, while what it writes is', async () => {
    const { sandbox, ui } = await scene();
    for (const method of ['conversations.list', 'chat.postMessage', 'viewer', 'POST /api/ui/sidebar']) {
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

  it('opens the organization of its workspace, whatever was used last', async () => {
    const { ui, sandbox } = await scene();
    const { body } = await sandbox.send('POST', '/graphql', ui, { query: '{ organization { urlKey } }' });
    expect(body.data.organization.urlKey).toBe(sandbox.made.tracker.url_key);
  });

  it('is of one workspace: a session that a link began opens no other', async () => {
    const { ui } = await scene();
    const other = await app.workspace();
    const token = ui.authorization.slice(7);
    const refused = await rest(app, 'POST /ui/sidebar', { token, body: { team_id: other.id } });
    expect(refused.status).toBe(404);
  });
});
