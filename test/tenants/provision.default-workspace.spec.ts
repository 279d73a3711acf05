import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FirstStart, type DefaultTenant } from '../../src/tenants/first-start.js';
import { TestApp } from '../support/app.js';
import { createDatabase, serverUrl } from '../support/databases.js';
import { rest } from '../support/rest-client.js';

describe('POST /api/admin/provision without SVC_ADMIN_TOKEN, on the default workspace', () => {
  let own: TestApp;
  let tenant: DefaultTenant;
  let drop: (() => Promise<void>) | undefined;
  const post = (body: object, token: string) => rest(own, 'POST /admin/provision', { token, body });
  const say = async (token: string): Promise<object> => {
    const response = await fetch(`${own.baseUrl}/api/chat.postMessage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: new URLSearchParams({ channel: '#general', text: 'x' }),
    });
    return (await response.json()) as object;
  };

  beforeAll(async () => {
    const database = serverUrl === undefined ? undefined : await createDatabase();
    drop = database?.drop;
    own = await TestApp.start({ SVC_ADMIN_TOKEN: '', ...(database ? { DATABASE_URL: database.url } : {}) });
    tenant = await own.nest.get(FirstStart, { strict: false }).ensure();
  });
  afterAll(async () => {
    await own.stop();
    await drop?.();
  });

  it('is open to its admins only', async () => {
    expect((await post({}, tenant.botToken)).body).toMatchObject({
      statusCode: 403,
      message: 'not_allowed_token_type',
    });
    const { body } = await post({ users: [{ name: 'm' }, { name: 'boss', is_admin: true }] }, tenant.userToken);
    const [member, boss] = body.users;
    expect((await post({}, member.access_token)).body).toMatchObject({
      statusCode: 403,
      message: 'not_admin',
    });
    expect((await post({}, boss.access_token)).status).toBe(201);
    const other = await post({ team: { name: 'Other' } }, tenant.userToken);
    expect((await post({}, other.body.user_token)).body).toMatchObject({
      statusCode: 403,
      message: 'not_admin',
    });
  });

  it('answers new tokens of the default app; those issued before stay valid, also through a rotation', async () => {
    const first = (await post({}, tenant.userToken)).body;
    const second = (await post({}, tenant.userToken)).body;

    expect(first.team).toMatchObject({ id: tenant.teamId, is_default: true, joinable: true });
    expect(first.admin).toEqual({
      user_id: expect.any(String),
      name: 'admin',
      email: 'admin@understudy.local',
      access_token: expect.any(String),
    });
    expect(first.app.id).toBe(second.app.id);
    expect(first.bot_token).not.toBe(second.bot_token);
    await own.nest.get(FirstStart, { strict: false }).rotate();
    for (const token of [first.bot_token, second.bot_token, second.user_token]) {
      expect(await say(token)).toMatchObject({
        ok: true,
      });
    }
    expect(await say(tenant.botToken)).toEqual({
      ok: false,
      error: 'token_revoked',
    });
  });
});
