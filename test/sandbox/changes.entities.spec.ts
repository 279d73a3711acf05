import { describe, expect, it } from 'vitest';
import { Changes } from '../../src/sandbox/changes/changes.service.js';
import { useApp } from '../support/app.js';
import { bearer, makeSandbox, send, type Answer } from '../support/sandbox-routes.js';

/** One of each kind that a document knows. */
const DOCUMENT = {
  users: [{ name: 'alice', api_key: `svc_api_${crypto.randomUUID()}` }],
  channels: [
    {
      name: 'ops',
      members: ['alice', 'default-app'],
      messages: [{ as: 'alice', text: 'hello', reactions: { tada: ['alice'] }, ref: 'hello' }],
    },
  ],
  apps: [
    {
      name: 'deploy',
      scopes: { bot: ['chat:write'] },
      event_subscriptions: { request_url: 'http://127.0.0.1:9/events', events: ['message'] },
      commands: [{ command: '/deploy', url: 'http://127.0.0.1:9/' }],
    },
  ],
  incoming_webhooks: [{ app: 'deploy', channel: 'ops' }],
  outgoing_webhooks: [{ url: 'http://127.0.0.1:9/out', events: ['message'] }],
  tracker: {
    teams: [
      {
        key: 'OPS',
        labels: [{ name: 'Bug' }],
        cycles: [{ number: 1, starts_at: '2026-01-05', ends_at: '2026-01-19' }],
        issues: [{ title: 'Fix', comments: [{ as: 'alice', body: 'On it' }] }],
      },
    ],
    projects: [{ name: 'Q1', teams: ['OPS'] }],
    webhooks: [{ url: 'http://127.0.0.1:9/tracker', resource_types: ['Issue'], team: 'OPS' }],
  },
};

/** A change of a row of each kind that has anything but its key; $1 is the workspace or the organization. */
const CHANGES: Readonly<Record<string, string>> = {
  user: `UPDATE users SET profile = profile || '{"title":"CTO"}' WHERE workspace_id = $1 AND name = 'alice'`,
  channel: `UPDATE conversations SET topic = 'new' WHERE workspace_id = $1 AND name = 'ops'`,
  app: `UPDATE apps SET interactivity_url = 'http://127.0.0.1:9/i', name = 'renamed' WHERE workspace_id = $1 AND name = 'deploy'`,
  token: `UPDATE tokens SET revoked_at = now() WHERE workspace_id = $1 AND kind = 'bot'`,
  subscription: `UPDATE event_targets SET verified = true WHERE workspace_id = $1 AND app_id IS NOT NULL AND NOT is_socket`,
  webhook: `UPDATE incoming_webhooks SET name = 'new' WHERE workspace_id = $1`,
  command: `UPDATE slash_commands SET description = 'new' WHERE workspace_id = $1`,
  scheduled_message: `UPDATE scheduled_messages SET text = 'new' WHERE workspace_id = $1`,
  file: `UPDATE files SET title = 'new' WHERE workspace_id = $1`,
  message: `UPDATE messages SET text = 'new', wire = replace(wire, 'hello', 'new')
            WHERE conversation_id = (SELECT id FROM conversations WHERE workspace_id = $1 AND name = 'ops') AND text = 'hello'`,
  team: `UPDATE teams SET name = 'new' WHERE organization_id = $1::uuid AND key = 'OPS'`,
  state: `UPDATE workflow_states SET name = 'new' WHERE organization_id = $1::uuid AND name = 'Todo'`,
  issue: `UPDATE issues SET title = 'new' WHERE organization_id = $1::uuid`,
  comment: `UPDATE comments SET body = 'new' WHERE organization_id = $1::uuid`,
  label: `UPDATE issue_labels SET name = 'new' WHERE organization_id = $1::uuid`,
  project: `UPDATE projects SET name = 'new' WHERE organization_id = $1::uuid`,
  project_status: `UPDATE project_statuses SET name = 'new' WHERE organization_id = $1::uuid AND name = 'Extra'`,
  cycle: `UPDATE cycles SET name = 'new' WHERE organization_id = $1::uuid`,
  team_membership: `UPDATE team_memberships SET owner = NOT owner WHERE organization_id = $1::uuid`,
  tracker_user: `UPDATE tracker_users SET title = 'CTO' WHERE organization_id = $1::uuid AND name = 'alice'`,
  api_key: `UPDATE api_keys SET label = 'new' WHERE organization_id = $1::uuid`,
};
/** Of these a row is its key. */
const UNCHANGEABLE = ['member', 'pin', 'reaction'];

// docs/reference/sandboxes.md#changes-and-assertions
describe('Changes of every kind of both products', () => {
  const app = useApp();

  it('are told as added, changed and removed, and none is left after a reset to the same state', async () => {
    const kinds = app.nest.get(Changes, { strict: false }).entities.toSorted();
    const { body, ctl } = await makeSandbox(app);
    const bot = bearer(body.credentials.bot_token);
    const call = async (method: string, args: object): Promise<Answer['body']> => {
      const answer = (await send(app, 'POST', `/api/${method}`, bot, args)).body;
      expect([method, answer.ok, answer.error]).toEqual([method, true, undefined]);
      return answer;
    };
    const changes = async (since: string): Promise<Record<string, Record<string, any[]>>> =>
      (await send(app, 'GET', `/api/sandboxes/self/changes?since=${since}`, ctl)).body;
    const kindsOf = (found: Record<string, unknown[]> | undefined): string[] => Object.keys(found ?? {}).toSorted();

    const seeded = await send(app, 'POST', '/api/sandboxes/self/seed', ctl, DOCUMENT);
    expect(seeded.status, JSON.stringify(seeded.body)).toBe(200);
    const { channel, ts } = seeded.body.refs.hello;
    await call('pins.add', { channel, timestamp: ts });
    await call('chat.scheduleMessage', { channel, text: 'later', post_at: Math.floor(Date.now() / 1000) + 3_600 });
    const { upload_url: url, file_id: id } = await call('files.getUploadURLExternal', { filename: 'a.txt', length: 5 });
    await fetch(url, { method: 'POST', body: new TextEncoder().encode('hello') });
    await call('files.completeUploadExternal', { files: [{ id }], channel_id: channel });
    const [{ organization }] = await app.store.dataSource.query(
      `INSERT INTO project_statuses (id, organization_id, name, type, color, position)
       SELECT gen_random_uuid(), o.id, 'Extra', 'started', '#112233', 9 FROM organizations o JOIN workspaces w ON w.tenant_id = o.tenant_id
       WHERE w.id = $1 RETURNING organization_id AS organization`,
      [body.team_id],
    );
    const first = await changes('baseline');
    expect(kindsOf(first['added'])).toEqual(kinds);
    const { added = {} } = first;
    expect(added['webhook']?.map(({ kind }) => kind as string).toSorted()).toEqual(['incoming', 'outgoing', 'tracker']);
    expect(added['reaction']).toMatchObject([{ name: 'tada', user_name: 'alice', channel_name: 'ops' }]);
    expect(added['issue']).toMatchObject([{ title: 'Fix', identifier: 'OPS-1', team: 'OPS', state: 'Backlog' }]);
    expect(added['comment']).toMatchObject([{ body: 'On it', user: 'alice', issue: 'OPS-1' }]);
    expect(added['subscription']).toMatchObject([{ app_name: 'deploy', url: 'http://127.0.0.1:9/events' }]);
    expect(added['member']).toContainEqual(expect.objectContaining({ channel_name: 'ops', user_name: 'alice' }));

    expect((await send(app, 'POST', '/api/sandboxes/self/snapshots', ctl, { name: 'full' })).status).toBe(201);
    expect((await changes('full'))['counts']).toEqual({ added: {}, changed: {}, removed: {} });
    for (const [kind, sql] of Object.entries(CHANGES)) {
      await app.store.dataSource.query(sql, [sql.includes('$1::uuid') ? organization : body.team_id]);
      const { changed = {} } = await changes('full');
      expect([kind, changed[kind]?.[0]]).toEqual([
        kind,
        expect.objectContaining({ id: expect.any(String), before: expect.any(Object), after: expect.any(Object) }),
      ]);
      expect(changed[kind]?.[0].fields.length).toBeGreaterThan(0);
    }
    const second = await changes('full');
    expect(kindsOf(second['changed'])).toEqual(kinds.filter((kind) => !UNCHANGEABLE.includes(kind)));
    expect([second['added'], second['removed']]).toEqual([{}, {}]);

    const reset = (to: string): Promise<Answer> => send(app, 'POST', '/api/sandboxes/self/reset', ctl, { to });
    expect((await reset('baseline')).status).toBe(200);
    const third = await changes('full');
    expect([third['added'], third['changed'], kindsOf(third['removed'])]).toEqual([{}, {}, kinds]);
    expect((await reset('full')).status).toBe(200);
    expect((await changes('full'))['counts']).toEqual({ added: {}, changed: {}, removed: {} });
  });
});
