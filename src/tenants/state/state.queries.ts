import { statement } from '../../kernel/database/statement.js';

/* Hand-written: whole tables of a tenant at one moment, over a function of the database. */

/** An epoch that no sandbox reaches: the rows as they are now. */
export const NOW = 2_147_483_647;

/** Rows of several tables as they were when an epoch began. Parameters: tenant, tables, epoch, most rows. */
export const ROWS_OF_STATE = statement(
  'state_rows',
  `SELECT t.name AS "table", r.value FROM unnest($2::text[]) t (name) CROSS JOIN LATERAL sandbox_rows_at($1, t.name, $3) r LIMIT $4`,
);

export const ID_KEY = statement('state_id_key', 'SELECT id_key AS key FROM sandboxes WHERE tenant_id = $1');
