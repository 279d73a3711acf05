import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { bearer, makeSandbox, send } from '../support/sandbox-routes.js';

/** Columns that only ever increase, also through a reset. */
const MONOTONIC_COLUMNS = ['members_version', 'last_sync_id'];

// docs/reference/sandboxes.md#reset
describe('A reset', () => {
  const app = useApp();

  /** All rows of a sandbox in the tables that a reset restores, and in the search tables. */
  const rowsOf = async (id: string): Promise<Record<string, string[]>> => {
    const { dataSource } = app.store;
    const tables: { name: string; scope: string; keep: string[] }[] = await dataSource.query(
      'SELECT name, sandbox_scope(owner) AS scope, keep FROM sandbox_tables WHERE owner IS NOT NULL',
    );
    const [{ tenant_id: tenant }] = await dataSource.query('SELECT tenant_id FROM sandboxes WHERE id = $1', [id]);
    const searched = ['message_search', 'message_facets'].map((name) => ({
      name,
      scope: 'r.workspace_id = (SELECT id FROM workspaces WHERE tenant_id = $1)',
      keep: ['waiting', 'folded'],
    }));
    const rows: Record<string, string[]> = {};
    for (const { name, scope, keep } of [...tables, ...searched]) {
      const found: { row: string }[] = await dataSource.query(
        `SELECT (to_jsonb(r) - $2::text[])::text AS row FROM ${name} r WHERE ${scope} ORDER BY 1`,
        [tenant, [...keep, ...MONOTONIC_COLUMNS]],
      );
      rows[name] = found.map(({ row }) => row);
    }
    return rows;
  };

  it.each([
    ['without a later snapshot', false],
    ['with a later snapshot', true],
  ])(
    '%s restores swapped names, edited rows, and deleted rows with everything that belonged to them',
    async (_, hasLater) => {
      const made = await makeSandbox(app, {
        rate_limit_multiplier: 0,
        users: [{ name: 'alice' }],
        channels: ['left', 'right'].map((name) => ({
          name,
          members: ['admin', 'alice', 'default-app'],
          messages: [
            { as: 'alice', text: `root of ${name}`, ref: name, reactions: { tada: ['alice'] } },
            { as: 'admin', text: `below ${name}`, thread: name },
          ],
        })),
        tracker: {
          teams: [
            {
              key: 'ENG',
              issues: [
                { title: 'parent', ref: 'parent', comments: [{ as: 'alice', body: 'on it' }] },
                { title: 'child', parent: 'parent' },
              ],
            },
          ],
        },
      });
      const { user_token: token, api_key: key, channels, refs, teams } = made.body.credentials;
      const chat = async (method: string, body: object): Promise<Record<string, any>> => {
        const answer = await send(app, 'POST', `/api/${method}`, bearer(token), body);
        expect(answer.body, method).toMatchObject({ ok: true });
        return answer.body;
      };
      // seeded messages become searchable with the first search
      expect((await chat('search.messages', { query: 'root' })).messages.matches).toHaveLength(2);
      const before = await rowsOf(made.body.id);
      expect(before['message_search']).toHaveLength(4);
      const graphql = async (query: string): Promise<void> => {
        const { body } = await send(app, 'POST', '/graphql', { authorization: String(key) }, { query });
        expect(body.errors, JSON.stringify(body.errors)).toBeUndefined();
      };

      for (const [channel, name] of [
        [channels.left, 'aside'],
        [channels.right, 'left'],
        [channels.left, 'right'],
      ]) {
        await chat('conversations.rename', { channel, name });
      }
      if (hasLater) {
        expect((await send(app, 'POST', '/api/sandboxes/self/snapshots', made.ctl, { name: 'later' })).status).toBe(
          201,
        );
      }
      const { ts } = await chat('chat.postMessage', {
        channel: channels.left,
        thread_ts: refs.left.ts,
        text: 'new below',
      });
      await chat('chat.update', { channel: channels.left, ts, text: 'new, edited' });
      await chat('reactions.add', { channel: channels.right, timestamp: refs.right.ts, name: 'eyes' });
      const other = await chat('conversations.create', { name: 'other' });
      await chat('chat.postMessage', { channel: other.channel.id, text: 'somewhere new' });
      await graphql(
        `mutation { issueUpdate(id: "${refs.parent.id}", input: { title: "other", priority: 1 }) { success } }`,
      );
      await graphql(
        `mutation { issueCreate(input: { teamId: "${teams.ENG.id}", title: "new", parentId: "${refs.parent.id}" }) { success } }`,
      );
      // a deletion that cascades to other rows
      await graphql(`mutation { issueDelete(id: "${refs.parent.id}", permanentlyDelete: true) { success } }`);
      expect(await rowsOf(made.body.id)).not.toEqual(before);

      const reset = await send(app, 'POST', '/api/sandboxes/self/reset', made.ctl, {});
      expect(reset.status, JSON.stringify(reset.body)).toBe(200);
      expect(await rowsOf(made.body.id)).toEqual(before);
      if (hasLater) {
        const forward = await send(app, 'POST', '/api/sandboxes/self/reset', made.ctl, { to: 'later' });
        expect(forward.status, JSON.stringify(forward.body)).toBe(200);
        const names = await chat('conversations.info', { channel: channels.left });
        expect(names.channel.name).toBe('right');
      }
      // changes to restored rows are tracked as before
      await chat('chat.postMessage', { channel: channels.left, text: 'after' });
      await send(app, 'POST', '/api/sandboxes/self/reset', made.ctl, {});
      expect(await rowsOf(made.body.id)).toEqual(before);
    },
  );
});
