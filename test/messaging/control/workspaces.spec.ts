import { describe, expect, it } from 'vitest';
import { Db } from '../../../src/kernel/database/db.js';
import { TenantRemoval } from '../../../src/tenants/removal/tenant-removal.js';
import { useApp } from '../../support/app.js';
import { eventually } from '../../support/receiver.js';
import { refusal, rest } from '../../support/rest-client.js';
import { unique } from '../../support/workspace.js';

describe('workspace routes', () => {
  const app = useApp();
  const domain = (): string => unique('w').replaceAll('-', '').slice(0, 21);

  it('creates a workspace with its caller as primary owner', async () => {
    const ws = await app.workspace();
    const ann = await ws.jwtClient();
    const { status, body } = await rest(app, 'POST /workspaces', {
      token: ann.token,
      body: { name: 'Acme', domain: domain() },
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^T0/),
      team_id: body.id,
      name: 'Acme',
      domain: body.domain,
      url: `${app.baseUrl}/`,
      icon: { image_default: true },
      created: expect.any(Number),
      creator: ann.userId,
      is_default: false,
      joinable: true,
      member_count: 1,
      role: 'owner',
    });
    const inside = await ann.call('conversations.list', { team_id: body.id });
    expect(inside.channels.map((channel: { name: string }) => channel.name).sort()).toEqual(['general', 'random']);
    const again = await rest(app, 'POST /workspaces', {
      token: ann.token,
      body: { name: 'Acme', domain: body.domain },
    });
    expect(again.body).toEqual(refusal(409, 'domain_taken'));
    const listed = await rest(app, 'GET /workspaces?limit=1', { token: ann.token });
    expect(listed.body.workspaces.map((one: { id: string }) => one.id)).toEqual([ws.id]);
    const next = await rest(app, `GET /workspaces?cursor=${encodeURIComponent(listed.body.next_cursor)}`, {
      token: ann.token,
    });
    expect(next.body).toEqual({ workspaces: [body], next_cursor: '' });
  });

  it('derives a domain from the name, and refuses invalid bodies', async () => {
    const ws = await app.workspace();
    const ann = await ws.jwtClient();
    const make = (body: object) => rest(app, 'POST /workspaces', { token: ann.token, body });
    const name = `Über ${domain().slice(0, 9)}`;
    const [first, second] = [await make({ name }), await make({ name })];
    expect(first.body.domain).toMatch(/^uber-/);
    expect(second.body.domain).toBe(`${first.body.domain}2`);
    for (const body of [
      {},
      { name: '' },
      { name: '  ' },
      { name: 'x'.repeat(256) },
      { name: 'x', domain: 'A' },
      { name: 5 },
    ]) {
      const answer = await make(body);
      expect([answer.status, Array.isArray(answer.body.message)], JSON.stringify(body)).toEqual([400, true]);
    }
    const bot = await ws.bot();
    const refused = await rest(app, 'POST /workspaces', { token: bot.token, body: { name: 'x' } });
    expect(refused.body).toEqual(refusal(403, 'not_allowed_token_type'));
  });

  it('answers 400 for an invalid limit or cursor, and clamps a large limit', async () => {
    const ann = await (await app.workspace()).jwtClient();
    for (const query of [
      'limit=0',
      'limit=-1',
      'limit=x',
      'limit=1.5',
      'cursor=nonsense',
      `cursor=${btoa('1:U0AAAAAAAAA')}`,
    ]) {
      expect((await rest(app, `GET /workspaces?${query}`, { token: ann.token })).status, query).toBe(400);
    }
    expect((await rest(app, 'GET /workspaces?limit=100000', { token: ann.token })).status).toBe(200);
  });

  it('is joined once, even by concurrent calls, and everyone in #general receives the event', async () => {
    const [home, ws] = [await app.workspace(), await app.workspace()];
    const ann = await home.jwtClient();
    const join = (id: string) => rest(app, `POST /workspaces/${id}/join`, { token: ann.token, body: {} });
    const answers = await Promise.all([join(ws.id), join(ws.id), join(ws.id)]);
    expect(answers.map((answer) => answer.body.already_member).sort()).toEqual([false, true, true]);
    expect(answers[0]?.body).toMatchObject({
      user_id: ann.userId,
      workspace: { id: ws.id, role: 'member', member_count: 2 },
    });
    expect((await ws.recorded()).map((event) => [event['type'], event['subtype']])).toEqual([
      ['team_join', undefined],
      ['member_joined_channel', undefined],
      ['message', 'channel_join'],
    ]);
    expect((await join('T0NOTHING00')).body).toEqual(refusal(404, 'team_not_found'));
    expect((await ann.call('auth.test', { team_id: ws.id })).team_id).toBe(ws.id);
  });

  it('is visible to members, changed by admins, and unknown to everybody else', async () => {
    const [ws, other] = [await app.workspace(), await app.workspace()];
    const [admin, member, outsider] = [await ws.adminClient(), await ws.userClient(), await other.userClient()];
    const change = (token: string, body: object) => rest(app, `PUT /workspaces/${ws.id}`, { token, body });

    expect((await rest(app, `GET /workspaces/${ws.id}`, { token: member.token })).body.role).toBe('member');
    expect((await rest(app, `GET /workspaces/${ws.id}`, { token: (await ws.bot()).token })).status).toBe(200);
    expect((await rest(app, `GET /workspaces/${ws.id}`, { token: outsider.token })).body).toEqual(
      refusal(404, 'team_not_found'),
    );
    const changed = await change(admin.token, { name: 'New', icon: 'https://example.com/i.png' });
    expect(changed.body).toMatchObject({
      name: 'New',
      domain: ws.domain,
      icon: { image_original: 'https://example.com/i.png' },
    });
    expect((await change(member.token, { name: 'x' })).body).toEqual(refusal(403, 'not_admin'));
    expect((await change(outsider.token, { name: 'x' })).body).toEqual(refusal(404, 'team_not_found'));
    expect((await change(admin.token, { domain: domain() })).status).toBe(200);
    const taken = domain();
    await rest(app, 'POST /workspaces', { token: outsider.token, body: { name: 'taken', domain: taken } });
    expect((await change(admin.token, { domain: taken })).body).toEqual(refusal(409, 'domain_taken'));
    expect((await change(admin.token, { icon: 'not a URL' })).status).toBe(400);
  });

  it('is deleted by its primary owner: its tokens are revoked at once, its rows are removed later', async () => {
    const ws = await app.workspace();
    const [owner, admin, bot] = [
      await ws.jwtClient({ user: ws.admin }),
      await ws.userClient({ role: 'admin' }),
      await ws.bot(),
    ];
    await ws.message({ channel: ws.general });
    const hook = await rest(app, 'POST /webhooks/incoming', { token: bot.token, body: { channel: 'general' } });
    const remove = (token: string) => rest(app, `DELETE /workspaces/${ws.id}`, { token });

    expect((await remove(admin.token)).body).toEqual(refusal(403, 'not_admin'));
    expect((await remove(bot.token)).body).toEqual(refusal(403, 'not_allowed_token_type'));
    expect((await remove(owner.token)).body).toEqual({ success: true });
    const dead = async (): Promise<void> => {
      for (const client of [owner, admin, bot]) {
        expect(await client.call('auth.test')).toEqual({ ok: false, error: 'account_inactive' });
        expect((await rest(app, 'GET /auth/me', { token: client.token })).body).toEqual(
          refusal(401, 'account_inactive'),
        );
      }
      expect((await rest(app, `POST /webhooks/incoming/${hook.body.id}`, { body: { text: 'x' } })).text).toBe(
        'no_service',
      );
    };
    await dead();
    const removed = async (): Promise<boolean> => {
      // does nothing while another removal is under way
      await app.nest.get(TenantRemoval, { strict: false }).run();
      const left = await app.nest
        .get(Db)
        .readText(
          'SELECT id FROM conversations WHERE workspace_id = $1 UNION ALL SELECT id FROM workspaces WHERE id = $1',
          [ws.id],
        );
      return left.length === 0;
    };
    await eventually(removed, 'its rows are gone');
    await dead();
  });
});
