import { statement } from '../../kernel/database/statement.js';
import { countCredentials as countTokens } from '../../messaging/provisioning/credentials.queries.js';
import { WORKSPACE_ROWS } from '../../messaging/store/rows-to-join.queries.js';
import { countCredentials as countKeys } from '../../tracker/credentials.queries.js';
import { ORGANIZATION_ROWS } from '../../tracker/store/rows-to-join.queries.js';

/* Hand-written: locks, and writes that depend on the row. */

/** Those that count toward the limit: not the copies that pools work from, nor what is about to be deleted. */
const COUNTED = `SELECT count(*)::int AS count FROM sandboxes WHERE pool_role IS NULL OR pool_role = 'ready'`;

export const COUNT = statement('seed_count_sandboxes', COUNTED);

/** Counting sandboxes in order to make another is exclusive, from here to the end of the transaction. */
export const TAKE_TURN = statement('seed_take_turn', 'SELECT pg_advisory_xact_lock(7430246)');

/**
 * Makes the current state the baseline. Returns no row if there would be too many sandboxes ($13; 0: no limit). A copy
 * says how many rows were copied ($19): a first reset would count all of them table by table otherwise.
 */
export const DESCRIBE = statement(
  'seed_describe_sandbox',
  `UPDATE sandboxes SET origin = 'made', name = $2, labels = $3::jsonb, owner = $4,
     expires_at = now() + $5 * interval '1 second', journal = $6, methods = $7, rate_limit_multiplier = $8,
     missing_scope_status = $9, urls = coalesce($14, 'server'), id_key = $15, random_seed = $16, control_token_hash = $10, clock_offset = $11::bigint, clock_frozen_at = $12::bigint,
     deterministic = $17, clock_tick_ms = $18::int, id_draws = $20::bigint, baseline_rows = CASE WHEN $19::bigint IS NULL THEN NULL ELSE $19::bigint
       + ${countTokens('$1')} + ${countKeys('$1')} END, epoch = epoch + 1, baseline_epoch = epoch + 1,
     baseline_clock = sandbox_clock(sandboxes) || jsonb_build_object('offset', $11::bigint, 'frozenAt', $12::bigint, 'tickMs', $18::int, 'draws', $20::bigint)
   WHERE tenant_id = $1 AND ($13::int = 0 OR (${COUNTED}) <= $13::int) RETURNING id`,
);

/** What tells the ids of the next sandbox with ids of its own from the stored ones. */
export const NEXT_ID_KEY = statement('seed_next_id_key', `SELECT nextval('id_keys') AS key`);

export const WORKSPACE_OF_SANDBOX = statement(
  'seed_workspace_of_sandbox',
  `SELECT w.id AS "workspaceId", w.domain, o.id AS "organizationId", w.creator_id AS "adminId"
   FROM ${WORKSPACE_ROWS} w JOIN ${ORGANIZATION_ROWS} o ON o.tenant_id = w.tenant_id WHERE w.tenant_id = $1 AND w.deleted_at IS NULL`,
);
