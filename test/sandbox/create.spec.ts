import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { OPERATOR, send as sendTo, type Answer, type Call } from '../support/sandbox-routes.js';

describe('POST /api/sandboxes', () => {
  const app = useApp();

  const send = (...call: Call): Promise<Answer> => sendTo(app, ...call);

  it('creates what the document describes, and answers the credentials for it', async () => {
    const made = await send('POST', '/api/sandboxes', OPERATOR, {
      name: 'worker 3',
      labels: { suite: 'checkout' },
      ttl_seconds: 3600,
      clock: { now: '2026-01-01T09:00:00Z', frozen: true },
      users: [{ name: 'alice', is_admin: true }, { name: 'bob' }],
      channels: [
        {
          name: 'war-room',
          is_private: true,
          members: ['alice', 'bob', 'deploy-bot'],
          messages: [
            { as: 'alice', text: 'deploy please <@deploy-bot>', at: -3600, ref: 'ask' },
            { as: 'deploy-bot', text: 'done', thread: 'ask', reactions: { tada: ['alice', 'bob'] }, ref: 'answer' },
          ],
        },
        { name: 'bulk', messages: 100 },
      ],
      dms: [{ members: ['alice', 'bob'], messages: [{ as: 'alice', text: 'hi' }] }],
      apps: [{ name: 'deploy-bot', scopes: { bot: ['chat:write', 'groups:history'] } }],
      tracker: {
        teams: [
          {
            key: 'ENG',
            name: 'Engineering',
            labels: [{ name: 'Bug', color: '#eb5757' }],
            issues: [
              {
                title: 'Fix login',
                state: 'In Progress',
                assignee: 'alice',
                priority: 2,
                labels: ['Bug'],
                number: 7,
                ref: 'login',
              },
              { title: 'Subtask', parent: 'login', comments: [{ as: 'bob', body: 'On it' }] },
            ],
          },
        ],
      },
    });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const { credentials } = made.body;
    expect(made.body).toMatchObject({
      name: 'worker 3',
      labels: { suite: 'checkout' },
      clock: { now: '2026-01-01T09:00:00.000Z', frozen: true },
      counts: { users: 3, channels: 4, messages: 103, issues: 2 },
      journal: true,
    });
    expect(credentials.control_token).toMatch(/^svc_sbx_[A-Za-z0-9]{40}$/);
    expect(credentials.refs.login).toMatchObject({ identifier: 'ENG-7' });
    const control = { authorization: `Bearer ${credentials.control_token}` };
    const bot = { authorization: `Bearer ${credentials.apps['deploy-bot'].bot_token}` };
    const replies = await send('POST', '/api/conversations.replies', bot, credentials.refs.ask);
    expect(replies.body['messages'][0]).toMatchObject({
      reply_count: 1,
      text: `deploy please <@${credentials.apps['deploy-bot'].bot_user_id}>`,
    });

    expect((await send('GET', '/api/sandboxes/self', control)).body['id']).toBe(made.body['id']);
    expect((await send('GET', '/api/sandboxes/default', control)).status).toBe(404);
    expect((await send('POST', '/api/auth.test', control)).body).toMatchObject({ error: 'invalid_auth' });
    const acting = await send('POST', '/api/sandboxes/self/act-as', control, { user: 'bob' });
    expect(acting.status, JSON.stringify(acting.body)).toBe(201);
    const bob = { authorization: `Bearer ${acting.body['access_token']}` };
    expect((await send('POST', '/api/auth.test', bob)).body).toMatchObject({ ok: true, user: 'bob' });
    expect((await send('POST', '/api/workspaces', bob, { name: 'Mine' })).body).toMatchObject({
      message: 'not_allowed_token_type',
    });

    const renewed = await send('POST', '/api/sandboxes/self/control-token', control);
    expect((await send('GET', '/api/sandboxes/self', control)).status).toBe(401);
    expect((await send('POST', '/api/auth.test', bob)).body).toMatchObject({ error: 'token_revoked' });
    const fresh = { 'x-sandbox-token': renewed.body['control_token'] };

    const seeded = await send('POST', '/api/sandboxes/self/seed', fresh, {
      channels: [{ name: 'war-room', messages: [{ as: 'bob', text: 'more', ref: 'more' }] }],
    });
    expect(seeded.status, JSON.stringify(seeded.body)).toBe(200);
    const reset = await send('POST', '/api/sandboxes/self/reset', fresh);
    expect(reset.status, JSON.stringify(reset.body)).toBe(200);
    expect((await send('GET', '/api/sandboxes/self', fresh)).body['counts'].messages).toBe(103);
    expect((await send('DELETE', '/api/sandboxes/self', fresh)).body).toEqual({ success: true });
    expect((await send('GET', '/api/sandboxes/self', fresh)).status).toBe(401);
    expect((await send('POST', '/api/auth.test', bot)).body).toMatchObject({ error: 'account_inactive' });
    const viewer = await send(
      'POST',
      '/graphql',
      { authorization: credentials.api_key },
      { query: '{ viewer { id } }' },
    );
    expect(viewer.body['errors']).toHaveLength(1);
  });

  it('reports all faults of a document with their paths', async () => {
    const refused = await send('POST', '/api/sandboxes', OPERATOR, {
      users: [{ name: 'Not A Handle' }],
      channels: [{ name: 'a', messages: [{ as: 'nobody', text: 1 }] }],
    });
    expect(refused.status).toBe(400);
    expect(refused.body['message']).toHaveLength(3);
  });
});
