import pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { LONG_LIMITS } from '../../src/kernel/database/session.js';
import { DeliveryRule } from '../../src/sandbox/deliveries/delivery-rule.entity.js';
import { Fault } from '../../src/sandbox/faults/fault.entity.js';
import { useApp } from '../support/app.js';
import { copyRow } from '../support/rows.js';
import { TestSandbox, type Answer } from '../support/sandbox.js';

/** Makes `count` calls, 40 at a time, as the server refuses more that begin at once. */
async function many(count: number, make: (i: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) answers.push(await make(next++));
  };
  await Promise.all(Array.from({ length: 40 }, worker));
  return answers;
}

const refusals = (answers: readonly Answer[]): unknown[] =>
  answers.filter(({ status }) => status !== 201).map(({ status, body }) => [status, body.message]);

describe('limits of a sandbox', () => {
  const app = useApp();

  it('allow at most 1,000 faults, also when many are created concurrently', async () => {
    const sandbox = await TestSandbox.make(app);
    const fault = { on: { method: 'pins.list' }, fault: { type: 'drop' } };
    const { id } = (await sandbox.control('POST', '/faults', fault)).body;
    await copyRow(app.store, Fault, { id }, 979, (n) => ({ id: `${id}${n}`, place: undefined }));
    const made = await many(25, () => sandbox.control('POST', '/faults', fault));
    expect(refusals(made)).toEqual(Array.from({ length: 5 }, () => [409, 'too_many_faults']));
    expect((await sandbox.control('GET', '/faults')).body.faults).toHaveLength(1_000);
  });

  it('allow at most 1,000 delivery rules, also when many are created concurrently', async () => {
    const sandbox = await TestSandbox.make(app);
    const rule = { on: { event: 'pin_added' }, do: { type: 'drop' } };
    const { id } = (await sandbox.control('POST', '/delivery-rules', rule)).body;
    await copyRow(app.store, DeliveryRule, { id }, 979, (n) => ({ id: `${id}${n}`, place: undefined }));
    const made = await many(25, () => sandbox.control('POST', '/delivery-rules', rule));
    expect(refusals(made)).toEqual(Array.from({ length: 5 }, () => [409, 'too_many_delivery_rules']));
    expect((await sandbox.control('GET', '/delivery-rules')).body.delivery_rules).toHaveLength(1_000);
  });

  it('keep a fault that is created while another is deleted', async () => {
    const sandbox = await TestSandbox.make(app);
    const fault = { on: { method: 'auth.test' }, fault: { type: 'error', error: 'fatal_error' }, times: null };
    let last = (await sandbox.control('POST', '/faults', fault)).body.id as string;
    for (let i = 0; i < 20; i++) {
      const [made] = await Promise.all([
        sandbox.control('POST', '/faults', fault),
        sandbox.control('DELETE', `/faults/${last}`),
      ]);
      last = made.body.id as string;
      expect((await sandbox.call('auth.test', {})).body.error).toBe('fatal_error');
    }
  });

  it('allow one reset or snapshot at a time: a second one waits, and answers busy when the wait times out', async (context) => {
    context.skip(!app.store.isConcurrent, 'one session cannot hold what it waits for');
    const sandbox = await TestSandbox.make(app);
    const [{ id }] = await app.store.dataSource.query('SELECT tenant_id::int AS id FROM workspaces WHERE id = $1', [
      sandbox.made.team.id,
    ]);
    const other = app.store.dataSource.createQueryRunner();
    await other.query('SELECT pg_advisory_lock(7430240, $1)', [id]);
    try {
      let isOver = false;
      const waiting = sandbox.control('POST', '/reset', {}).finally(() => (isOver = true));
      await sandbox.control('GET', '/snapshots');
      expect(isOver).toBe(false);
      await other.query('SELECT pg_advisory_unlock(7430240, $1)', [id]);
      expect((await waiting).status).toBe(200);

      await other.query('SELECT pg_advisory_lock(7430240, $1)', [id]);
      // the same statement with a shorter lock timeout
      const query = pg.Client.prototype.query as (this: unknown, ...args: unknown[]) => unknown;
      const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
        this: unknown,
        ...args: unknown[]
      ) {
        return query.apply(
          this,
          args[0] === LONG_LIMITS.sql ? [LONG_LIMITS.sql.replace("'30s'", "'200ms'")] : args,
        ) as never;
      });
      try {
        for (const [path, body] of [
          ['/reset', {}],
          ['/snapshots', { name: 'late' }],
        ] as const) {
          const refused = await sandbox.control('POST', path, body);
          expect([path, refused.status, refused.body.message]).toEqual([path, 409, 'busy']);
        }
        expect(spy).toHaveBeenCalledWith(LONG_LIMITS.sql);
      } finally {
        spy.mockRestore();
      }
      await other.query('SELECT pg_advisory_unlock(7430240, $1)', [id]);
    } finally {
      await other.query('SELECT pg_advisory_unlock_all()');
      await other.release();
    }
    expect((await sandbox.control('POST', '/reset', {})).status).toBe(200);
  });
});
