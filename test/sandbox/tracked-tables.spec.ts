import { expect, it } from 'vitest';
import { useBareStore } from '../support/bare-store.js';

const store = useBareStore();

it('every table is tracked for resets, or left out with a reason', async () => {
  const rows: { name: string }[] = await store.dataSource.query(
    `SELECT c.relname AS name FROM pg_class c
     WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
       AND NOT EXISTS (SELECT FROM sandbox_tables t WHERE t.name = c.relname)
     ORDER BY 1`,
  );
  // declare it in the migration that makes it: 0031_tracked_changes.sql says how
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
