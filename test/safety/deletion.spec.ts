import { describe, expect, it } from 'vitest';
import { TenantRemoval } from '../../src/tenants/removal/tenant-removal.js';
import { orgClaimOf } from '../../src/tracker/access/org-claim.js';
import { useApp } from '../support/app.js';
import { rest } from '../support/rest-client.js';
import { unique } from '../support/unique.js';

const OPERATOR = { 'x-admin-token': 'operator-of-the-tests' };

/** docs/reference/safety.md#deletion */
describe('the rows that remain of a deleted workspace', () => {
  const app = useApp();
  const provisioned = async (body: object = {}) =>
    (
      await rest(app, 'POST /admin/provision', {
        headers: OPERATOR,
        body: {
          team: { name: unique('Team'), joinable: true },
          users: [{ name: 'ann', password: 'a good password' }],
          channels: [{ name: 'ops' }],
          ...body,
        },
      })
    ).body;
  const test = async (token: string, args: object = {}) =>
    (
      await fetch(`${app.baseUrl}/api/auth.test`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(args),
      })
    ).json() as Promise<{ ok: boolean; error?: string }>;
  const graphql = (key: string, query: string) =>
    fetch(`${app.baseUrl}/graphql`, {
      method: 'POST',
      headers: { authorization: key, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });

  /** The tables with rows that refer to these ids, and the number of rows. */
  async function rowsOf(ids: Record<string, string>): Promise<Record<string, number>> {
    const columns = (await app.store.dataSource.query(
      `SELECT c.table_name AS tbl, c.column_name AS col FROM information_schema.columns c
       JOIN information_schema.tables t USING (table_schema, table_name)
       WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.column_name = ANY($1)`,
      [Object.keys(ids)],
    )) as { tbl: string; col: string }[];
    expect(columns.length).toBeGreaterThan(30);
    const found: Record<string, number> = {};
    for (const { tbl, col } of columns) {
      const sql = `SELECT count(*)::int AS count FROM ${tbl} WHERE ${col}::text = $1`;
      const [row] = (await app.store.dataSource.query(sql, [ids[col]])) as { count: number }[];
      if ((row?.count ?? 0) > 0) found[`${tbl}.${col}`] = row?.count ?? 0;
    }
    return found;
  }

  it('are revoked credentials without an owner, and accounts that are members elsewhere', async () => {
    const [doomed, other] = [await provisioned(), await provisioned()];
    const ann = doomed.users[0];
    const [{ tenant_id: tenantId }] = await app.store.dataSource.query(
      'SELECT tenant_id FROM workspaces WHERE id = $1',
      [doomed.team.id],
    );
    const [{ id: organizationId }] = await app.store.dataSource.query(
      'SELECT id FROM organizations WHERE tenant_id = $1',
      [tenantId],
    );
    const [{ id: teamId }] = await app.store.dataSource.query('SELECT id FROM teams WHERE organization_id = $1', [
      organizationId,
    ]);
    const key = doomed.tracker.api_key as string;
    const created = await graphql(
      key,
      `mutation { issueCreate(input: { teamId: "${teamId}", title: "x" }) { success } }`,
    );
    expect(await created.json()).toMatchObject({ data: { issueCreate: { success: true } } });
    const joined = await rest(app, `POST /workspaces/${other.team.id}/join`, { token: ann.access_token });
    expect(joined.status).toBeLessThan(300);
    const ids = { workspace_id: doomed.team.id, organization_id: organizationId, tenant_id: String(tenantId) };
    expect(Object.keys(await rowsOf(ids)).length).toBeGreaterThan(10);

    const deleted = await rest(app, `DELETE /workspaces/${doomed.team.id}`, { token: doomed.user_token });
    expect(deleted.status).toBe(200);
    // the account of a member of both remains, with its address
    const login = await rest(app, 'POST /auth/login', { body: { email: ann.email, password: 'a good password' } });
    const elsewhere = await test(login.body.accessToken, { team_id: other.team.id });
    expect(elsewhere).toMatchObject({ ok: true, team_id: other.team.id });
    const signup = { email: ann.email, password: 'a good password', name: 'Ann' };
    expect((await rest(app, 'POST /auth/signup', { body: signup })).status).toBe(409);

    await app.nest.get(TenantRemoval, { strict: false }).finish(tenantId);
    expect(await rowsOf(ids)).toEqual({});
    const claims = await app.store.dataSource.query(
      `SELECT claims FROM sessions WHERE claims::text ~ $1 UNION ALL SELECT claims FROM accounts WHERE claims::text ~ $1`,
      [`${doomed.team.id}|${orgClaimOf(organizationId)}`],
    );
    expect(claims).toEqual([]);
    for (const token of [doomed.bot_token, doomed.user_token]) {
      expect(await test(token)).toEqual({ ok: false, error: 'account_inactive' });
    }
    expect((await graphql(key, '{ viewer { id } }')).status).toBe(401);
  });
});
