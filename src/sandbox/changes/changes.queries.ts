import { statement } from '../../kernel/database/statement.js';

/* Hand-written: the comparison runs in the database, over tables that are named at run time; refs go by what they name. */

/** $1 tenant, $2 epoch, $3 tables with the columns to ignore, as JSON, $4 most rows of a class. */
export const CHANGES = statement(
  'sandbox_changes_since',
  `SELECT t.key AS "table", c.class, c.total::int AS total, c.before, c.after
     FROM jsonb_each($3::jsonb) t
    CROSS JOIN LATERAL sandbox_changes($1, t.key, $2, ARRAY(SELECT jsonb_array_elements_text(t.value)), $4) c`,
);

export interface RefRow extends Record<string, unknown> {
  ref: string;
  thing: { readonly id?: string; readonly channel?: string; readonly ts?: string };
}

/** What documents called these objects. $1 tenant, $2 ids and timestamps. */
export const REFS_OF = statement(
  'sandbox_changes_refs',
  `SELECT ref, thing FROM seed_refs WHERE tenant_id = $1 AND (thing ->> 'id' = ANY($2) OR thing ->> 'ts' = ANY($2))`,
);

/** $1 tenant, $2 tables, $3 most rows. The epoch is one that no sandbox reaches: rows as they are now. */
export const PRESENT = statement(
  'sandbox_present',
  `SELECT t.name AS "table", r.value FROM unnest($2::text[]) t (name) CROSS JOIN LATERAL sandbox_rows_at($1, t.name, 2147483647) r LIMIT $3`,
);
