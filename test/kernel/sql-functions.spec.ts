import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { useBareStore } from '../support/bare-store.js';

const SRC = join(import.meta.dirname, '../../src');
const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /[\\/]functions[\\/]\w+\.sql$/.test(file),
);

/** What stands between the dollar quotes of a file; undefined for one that only returns an expression. */
const bodyOf = (file: string): string | undefined =>
  /(\$\w*\$)([^]*)\1/.exec(readFileSync(join(SRC, file), 'utf8'))?.[2];

const store = useBareStore();

it('the functions of a migrated database are those in the source', async () => {
  // beside those that `sandbox_track_functions` makes for each tracked table
  const rows: { name: string; body: string }[] = await store.dataSource.query(
    `SELECT p.proname AS name, p.prosrc AS body FROM pg_proc p
      WHERE p.pronamespace = 'public'::regnamespace AND p.proname !~ '^track_(new|old|changed)_'
        AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')`,
  );
  const stored = new Map(rows.map(({ name, body }) => [name, body]));
  const written = new Map(FILES.map((file) => [basename(file, '.sql'), bodyOf(file)]));
  expect([...written.keys()].filter((name) => !stored.has(name))).toEqual([]);
  const other = [...written].filter(([name, body]) => body !== undefined && stored.get(name) !== body);
  expect(other.map(([name]) => name)).toEqual([]);
  expect([...stored.keys()].filter((name) => !written.has(name))).toEqual([]);
});
