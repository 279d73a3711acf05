import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestApp } from '../support/app.js';
import { eventually } from '../support/receiver.js';
import { rest } from '../support/rest-client.js';
import { unique } from '../support/unique.js';

/** docs/reference/limits.md#lanes */
describe('a tenant that is being created', () => {
  let app: TestApp;
  // a store of its own, as a whole table is locked
  beforeAll(async () => {
    app = await TestApp.start({ DATABASE_URL: '', SVC_DATA_DIR: 'memory', SVC_SIGNUP: 'open' });
  });
  afterAll(() => app.stop());

  const provision = (document: object) =>
    rest(app, 'POST /admin/provision', { headers: { 'x-admin-token': 'operator-of-the-tests' }, body: document });

  it('locks no row that others need, however large its document', async (context) => {
    if (!app.store.isConcurrent) return context.skip('PGlite has one session');
    const neighbour = await app.workspace();
    const bot = await neighbour.bot();
    const channel = await neighbour.channel({ members: [bot] });
    const people = Array.from({ length: 300 }, (_, n) => ({ name: `person${n}` }));
    // nobody can write reactions while this is held, so the creation stops with all its earlier writes uncommitted
    const holder = app.store.dataSource.createQueryRunner();
    await holder.startTransaction();
    await holder.query('LOCK TABLE reactions IN SHARE ROW EXCLUSIVE MODE');
    await holder.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    const made = provision({
      team: { name: unique('Held') },
      users: people,
      channels: [
        {
          name: 'held',
          members: people.map(({ name }) => name),
          messages: [{ as: 'person0', text: 'hello', reactions: { tada: ['person1'] } }],
        },
      ],
    });
    try {
      await eventually(async () => {
        const [{ count }] = await app.store.dataSource.query(
          `SELECT count(*)::int AS count FROM pg_locks WHERE relation = 'reactions'::regclass AND NOT granted`,
        );
        return count > 0;
      }, 'all but reactions is written');
      expect(await bot.call('chat.postMessage', { channel: channel.id, text: 'meanwhile' })).toMatchObject({
        ok: true,
      });
      expect(await bot.call('conversations.create', { name: unique('new') })).toMatchObject({ ok: true });
      const account = {
        team_id: neighbour.id,
        email: `${unique('new')}@example.com`,
        password: 'a good password',
        name: 'new',
      };
      expect((await rest(app, 'POST /auth/signup', { body: account })).status).toBe(201);
      expect((await provision({ team: { name: unique('Other') }, users: [{ name: 'one' }] })).status).toBe(201);
    } finally {
      await holder.rollbackTransaction();
      await holder.release();
    }
    expect((await made).status).toBe(201);
  });
});
