import { Client, type QueryConfig } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Pglite } from '../../src/kernel/database/embedded/pglite/pglite.js';
import { poolOf, start, template, usePglite } from './pglite-databases.js';

usePglite();

/** One database for specs that only leave their own rows in it. */
let shared: Pglite;
beforeAll(async () => {
  shared = await Pglite.start({ dataDir: 'memory', template });
});
afterAll(() => shared.close());

describe('PGlite through the pg driver', () => {
  it('answers plain, parameterised and named statements, and continues after an error', async () => {
    const pool = poolOf(shared);
    expect((await pool.query('SELECT id, body FROM notes WHERE id = 0')).rows).toEqual([
      { id: 0, body: 'from the template' },
    ]);
    expect((await pool.query('SELECT $1::int + 1 AS n, $2::text AS t', [41, 'é'])).rows).toEqual([{ n: 42, t: 'é' }]);

    const named = { name: 'doubled', text: 'SELECT $1::int * 2 AS n' };
    expect((await pool.query({ ...named, values: [1] })).rows).toEqual([{ n: 2 }]);
    expect((await pool.query({ ...named, values: [2] })).rows).toEqual([{ n: 4 }]);

    await expect(pool.query('SELECT * FROM nowhere')).rejects.toMatchObject({ code: '42P01' });
    await expect(pool.query("INSERT INTO notes VALUES (0, 'again')")).rejects.toMatchObject({
      code: '23505',
      constraint: 'notes_pkey',
    });
    expect((await pool.query({ ...named, values: [3] })).rows).toEqual([{ n: 6 }]);
  });

  it('uses UTF-8, folds case beyond ASCII, and has the trigram and btree_gin extensions', async () => {
    const pool = poolOf(shared);
    const { rows } = await pool.query(
      "SELECT lower('É') AS lower, show_trgm('été') <> '{}' AS trigrams, current_setting('server_encoding') AS encoding",
    );
    expect(rows).toEqual([{ lower: 'é', trigrams: true, encoding: 'UTF8' }]);
    await pool.query('CREATE INDEX ON notes USING gin (id)');
    await pool.query('SET enable_seqscan = off');
    const plan = await pool.query("EXPLAIN SELECT id FROM notes WHERE body ILIKE '%template%'");
    expect(JSON.stringify(plan.rows)).toContain('notes_search');
  });

  it('transfers 5 MB in both directions', async () => {
    const pool = poolOf(shared);
    const { rows } = await pool.query("SELECT n, repeat('x', 1000) AS body FROM generate_series(1, 5000) n");
    expect(rows).toHaveLength(5000);
    expect(rows[4999]).toEqual({ n: 5000, body: 'x'.repeat(1000) });

    const large = 'é'.repeat(2_500_000);
    expect((await pool.query('SELECT $1::text AS large', [large])).rows[0].large).toBe(large);
  });

  it('reads a result in chunks', async () => {
    const pool = poolOf(shared);
    const portions: QueryConfig & { rows: number } = { text: 'SELECT generate_series(1, 5) AS n', rows: 2 };
    expect((await pool.query(portions)).rows.map((row) => row.n)).toEqual([1, 2, 3, 4, 5]);
    expect((await pool.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
  });

  it('answers too deep a recursion with an error, and continues', async () => {
    const pool = poolOf(shared);
    await pool.query('CREATE FUNCTION deep(n int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN deep(n + 1); END $$');
    await expect(pool.query('SELECT deep(1)')).rejects.toMatchObject({ code: '54001' });
    expect((await pool.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
  });
});

describe('several clients', () => {
  it('wait while another one is in a transaction, and see what it committed', async () => {
    const pool = poolOf(shared, 2);
    const [one, two] = [await pool.connect(), await pool.connect()];
    const order: string[] = [];

    await one.query('BEGIN');
    await one.query("INSERT INTO notes VALUES (1, 'uncommitted')");
    const seen = two.query('SELECT count(*)::int AS n FROM notes WHERE id IN (1, 2)').then(({ rows }) => {
      order.push('read');
      return rows[0].n;
    });
    await one.query("INSERT INTO notes VALUES (2, 'uncommitted too')");
    await one.query('COMMIT').then(() => order.push('commit'));

    expect(await seen).toBe(2);
    expect(order).toEqual(['commit', 'read']);
    one.release();
    two.release();
  });

  it('contain a failed transaction until it is rolled back', async () => {
    const pool = poolOf(shared, 2);
    const [one, two] = [await pool.connect(), await pool.connect()];
    await one.query('BEGIN');
    await expect(one.query('SELECT 1 / 0')).rejects.toMatchObject({ code: '22012' });
    const other = two.query('SELECT 1 AS n');
    await expect(one.query('SELECT 1')).rejects.toMatchObject({ code: '25P02' });
    await one.query('ROLLBACK');
    expect((await other).rows).toEqual([{ n: 1 }]);
    one.release();
    two.release();
  });

  it('may use the same name for different statements, which are forgotten when the client leaves', async () => {
    const connect = async (): Promise<Client> => {
      const client = new Client(shared.connection);
      await client.connect();
      return client;
    };
    const run = async (client: Client, text: string): Promise<unknown> =>
      Object.values((await client.query({ name: 'same', text, values: [1] })).rows[0] as object)[0];

    const [one, two] = [await connect(), await connect()];
    expect([await run(one, 'SELECT $1::int + 1'), await run(two, 'SELECT $1::int + 2')]).toEqual([2, 3]);
    await one.end();
    const three = await connect(); // takes the place of the first
    expect([await run(three, 'SELECT $1::int + 3'), await run(two, 'SELECT $1::int + 2')]).toEqual([4, 3]);
    await Promise.all([two.end(), three.end()]);

    const last = await connect();
    const { rows } = await last.query('SELECT count(*)::int AS n FROM pg_prepared_statements');
    expect(rows).toEqual([{ n: 0 }]);
    await last.end();
  });

  it('roll back an open transaction when they leave, which frees the session', async () => {
    const pool = poolOf(shared);
    const gone = new Client(shared.connection);
    await gone.connect();
    await gone.query('BEGIN');
    await gone.query("INSERT INTO notes VALUES (3, 'lost')");
    const waiting = pool.query('SELECT id FROM notes WHERE id = 3');
    await gone.end();
    expect((await waiting).rows).toEqual([]);
  });
});

describe('when PGlite dies', () => {
  it('rejects the running and the waiting queries, reports it once, and accepts no more', async () => {
    const deaths: string[] = [];
    const embedded = await start({ onDeath: (error) => deaths.push(error.message) });
    const pool = poolOf(embedded);
    await pool.query('SELECT 1');
    const both = Promise.allSettled([
      pool.query('SELECT count(*) FROM generate_series(1, 1000000000)'),
      pool.query('SELECT 1'), // waits for the only client
    ]);
    await new Promise(setImmediate); // the first query has been sent
    await embedded.worker.terminate();

    const died = 'The embedded database died: its worker ended with code 1';
    expect(await both).toMatchObject([
      { status: 'rejected', reason: { message: died } },
      { status: 'rejected', reason: { message: died } },
    ]);
    await expect(pool.query('SELECT 1')).rejects.toThrow(died);
    await embedded.close();
    expect(deaths).toEqual([died]);
  });

  it('detects a server that exited, which the library itself would call forever', async () => {
    const died = new Promise<Error>((resolve) => {
      void start({ onDeath: resolve }).then((embedded) =>
        poolOf(embedded)
          .query('COPY notes FROM STDIN')
          .catch(() => undefined),
      );
    });
    expect((await died).message).toMatch(/^The embedded database died: the server left its main loop \(FATAL: .*\)$/);
  });
});

it('PGlite in memory is a new database each time', async () => {
  const [one, two] = [poolOf(await start()), poolOf(await start())];
  await one.query("INSERT INTO notes VALUES (1, 'here only')");
  expect((await one.query('SELECT id FROM notes ORDER BY id')).rows).toEqual([{ id: 0 }, { id: 1 }]);
  expect((await two.query('SELECT id FROM notes')).rows).toEqual([{ id: 0 }]);
});
