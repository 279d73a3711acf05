import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestApp } from '../support/app.js';
import { eventually } from '../support/receiver.js';
import { rest } from '../support/rest-client.js';
import { unique } from '../support/unique.js';

/** docs/reference/limits.md#lanes */
describe('a tenant that is being made', () => {
  let app: TestApp;
  // a store of its own: a whole table is locked here
  beforeAll(async () => {
    app = await TestApp.start({ DATABASE_URL: '', SVC_DATA_DIR: 'memory', SVC_SIGNUP: 'open' });
  });
  afterAll(() => app.stop());

  const provision = (document: object) =>
    rest(app, 'POST /admin/provision', { headers: { 'x-admin-token': 'operator-of-the-tests' }, body: document });

  it('locks no row that others need, however much it is filled with', async (context) => {
    if (!app.store.isConcurrent) return context.skip('PGlite has one session');
    const neighbour = await app.workspace();
    const bot = await neighbour.bot();
    const channel = await neighbour.channel({ members: [bot] });
    const people = Array.from({ length: 300 }, (_, n) => ({ name: `person${n}` }));
    // nobody writes reactions until this ends, so what is being made is held with all that it has written before
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
