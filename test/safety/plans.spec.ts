import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SWEEP_SESSIONS } from '../../src/auth/sessions.queries.js';
import type { Statement } from '../../src/kernel/database/statement.js';
import { DELETE_EVENTS } from '../../src/webhooks/retention.queries.js';
import { ACCOUNT_HOLDERS, TOKEN_HOLDERS } from '../../src/messaging/access/identities.queries.js';
import { BY_ACCOUNT, BY_API_KEY, BY_OAUTH_TOKEN, BY_RELEASE_KEY } from '../../src/tracker/access/viewers.queries.js';
import { loadFacts } from '../../src/tracker/issues/issue-facts.queries.js';
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

/**
 * What each call asks: a plan for arrays of any length has to look as good as one for a single element, or the planner
 * makes a new one for each call.
 */
describe('query plans of what each call looks up', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start({ DATABASE_URL: '', SVC_DATA_DIR: 'memory' });
  });
  afterAll(() => app.stop());

  /** The plan for any values. */
  async function planOfAll({ name, text }: Statement, parameters: number): Promise<string> {
    const runner = app.store.dataSource.createQueryRunner();
    await runner.startTransaction();
    try {
      await runner.query('SET LOCAL plan_cache_mode = force_generic_plan');
      await runner.query(`PREPARE spec_${name} AS ${text}`);
      const values = Array.from({ length: parameters }, () => `'{}'`);
      const plan = (await runner.query(`EXPLAIN EXECUTE spec_${name} (${values.join(', ')})`)) as Record<
        string,
        string
      >[];
      return plan.map((line) => line['QUERY PLAN']).join('\n');
    } finally {
      await runner.rollbackTransaction();
      await runner.query(`DEALLOCATE spec_${name}`);
      await runner.release();
    }
  }

  it.each([
    ['an API key', BY_API_KEY, 1],
    ['an OAuth token', BY_OAUTH_TOKEN, 1],
    ['a key of a release pipeline', BY_RELEASE_KEY, 1],
    ['an account, in the tracker', BY_ACCOUNT, 3],
    ['a token of the chat', TOKEN_HOLDERS, 2],
    ['an account, in the chat', ACCOUNT_HOLDERS, 4],
  ] as const)('expect one caller with %s', async (_, statement, parameters) => {
    expect(await planOfAll(statement, parameters)).toMatch(/Limit .*rows=1 .*\n.*Function Scan on unnest/);
  });

  it('expect one thing of each kind that an issue refers to', async () => {
    let asked: Statement | undefined;
    const one = new Set([randomUUID()]);
    const query = async <R>(statement: Statement): Promise<R[]> => {
      asked = statement;
      return [];
    };
    await loadFacts({ query }, { state: one, user: one, label: one });
    const plan = await planOfAll(asked as Statement, 3);
    expect(plan.match(/-> +Limit .*rows=1 /g)).toHaveLength(3);
  });
});
