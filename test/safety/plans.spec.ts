import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SWEEP_SESSIONS } from '../../src/auth/sessions.queries.js';
import type { Statement } from '../../src/kernel/database/statement.js';
import { DELETE_EVENTS } from '../../src/webhooks/retention.queries.js';
import { TestApp } from '../support/app.js';

/** Background queries find their rows by an index, however many rows there are. */
describe('query plans of background tasks', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start({ DATABASE_URL: '', SVC_DATA_DIR: 'memory' });
  });
  afterAll(() => app.stop());

  /** The plan for a large table, on which a sequential scan is not worth considering. */
  async function plan({ text }: Statement, values: unknown[]): Promise<string> {
    const runner = app.store.dataSource.createQueryRunner();
    await runner.startTransaction();
    try {
      await runner.query('SET LOCAL enable_seqscan = off');
      const lines = (await runner.query(`EXPLAIN ${text}`, values)) as { 'QUERY PLAN': string }[];
      return lines.map((line) => line['QUERY PLAN']).join('\n');
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
    }
  }

  it('retention finds pending deliveries by their event', async () => {
    const text = await plan(DELETE_EVENTS, [0, 0, 24]);
    expect(text).toContain('deliveries_of_event');
    expect(text).not.toContain('Seq Scan on deliveries');
  });

  it('the sweep of sessions reads only expired ones, in order', async () => {
    const text = await plan(SWEEP_SESSIONS, [new Date()]);
    expect(text).toMatch(/Index (Only )?Scan using sessions_\w+ on sessions/);
    expect(text).not.toContain('Seq Scan on sessions');
    expect(text).not.toContain('Sort Key: sessions_1.over_at');
  });
});
