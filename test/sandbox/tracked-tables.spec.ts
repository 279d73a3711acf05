import { expect, it } from 'vitest';
import { Sandbox } from '../../src/kernel/sandbox/sandbox.entity.js';
import { RowImage } from '../../src/kernel/sandbox/row-image.entity.js';
import { SeedRef } from '../../src/kernel/sandbox/seed-ref.entity.js';
import { useBareStore } from '../support/bare-store.js';
import { deleteRows, insertRows } from '../support/rows.js';

const store = useBareStore();

it('every table is tracked for resets, or left out with a reason', async () => {
  const rows: { name: string }[] = await store.dataSource.query(
    `SELECT c.relname AS name FROM pg_class c
     WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
       AND NOT EXISTS (SELECT FROM sandbox_tables t WHERE t.name = c.relname)
     ORDER BY 1`,
  );
  // a new table is declared in its migration, as 0031_tracked_changes.sql explains
  expect(rows.map((row) => row.name)).toEqual([]);
});

it('every tracked table has its triggers', async () => {
  const rows: { name: string }[] = await store.dataSource.query(
    `SELECT t.name FROM sandbox_tables t WHERE t.owner IS NOT NULL
       AND (SELECT count(*) FROM pg_trigger g WHERE g.tgrelid = t.name::regclass
            AND g.tgname IN ('track_new', 'track_changed', 'track_gone')) < CASE t.name WHEN 'messages' THEN 2 ELSE 3 END`,
  );
  expect(rows).toEqual([]);
});

it('foreign keys to the own table or to one that is restored later are deferrable', async () => {
  const rows: { name: string }[] = await store.dataSource.query(
    `SELECT c.conname AS name FROM pg_constraint c
     JOIN sandbox_tables t ON t.name = c.conrelid::regclass::text AND t.owner IS NOT NULL
     JOIN sandbox_tables p ON p.name = c.confrelid::regclass::text AND p.owner IS NOT NULL AND p.position >= t.position
     WHERE c.contype = 'f' AND NOT c.condeferrable`,
  );
  // ALTER TABLE … ALTER CONSTRAINT … DEFERRABLE, as in 0160_resets_in_one_pass.sql
  expect(rows).toEqual([]);
});

it('a change looks up the images of its own rows only, however many others exist', async () => {
  const tenant = await store.tenant();
  const { dataSource } = store;
  await insertRows(store, Sandbox, [{ tenantId: tenant, epoch: 1 }]);
  const refs = Array.from({ length: 500 }, (_, n) => ({ tenantId: tenant, ref: `r${n + 1}`, thing: {} }));
  await insertRows(store, SeedRef, refs);
  await deleteRows(store, RowImage, { tenantId: tenant });
  const change = (ref: string): string =>
    `UPDATE seed_refs SET thing = thing || '{"is":"changed"}' WHERE tenant_id = ${tenant} AND ref LIKE '${ref}'`;
  await dataSource.query(change('r1'));
  // statistics as in a new sandbox: the planner assumes few images
  await dataSource.query('ANALYZE sandbox_undo');
  const read = await dataSource.transaction(async (entities) => {
    await entities.query(change('r_%'));
    const images = async (): Promise<number> => {
      const [{ n }] = await entities.query(
        `SELECT sum(pg_stat_get_xact_tuples_returned(c::regclass))::int AS n FROM unnest(ARRAY['sandbox_undo', 'sandbox_undo_pkey']) c`,
      );
      return n;
    };
    const before = await images();
    await entities.query(change('r1%'));
    return (await images()) - before;
  });
  // 111 rows, each with one image
  expect(read).toBeLessThanOrEqual(2 * 111);
});
