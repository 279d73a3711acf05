import { sqlNowMicros } from '../../kernel/clock/clock.js';
import { statement } from '../../kernel/database/statement.js';

/* Hand-written: rows of JSON, and times that depend on clocks. */

export const SCRIPT_NAMES = statement(
  'script_names',
  'SELECT name FROM script_entries WHERE tenant_id = $1 FOR UPDATE',
);

/** $2: a list of entries; $3: real time in milliseconds. */
export const ADD_ENTRIES = statement(
  'script_add_entries',
  `INSERT INTO script_entries (tenant_id, name, place, entry, since, seen, fired, error)
   SELECT $1, e.name, e.place, e.entry, to_timestamp($3::float8 / 1000), e.seen, e.fired, e.error
     FROM jsonb_to_recordset($2::jsonb)
       AS e (name text, place integer, entry jsonb, seen bigint, fired bigint, error text)`,
);

/** $2: a list of those that are due at a time. */
export const ADD_TIMED = statement(
  'script_add_timed',
  `INSERT INTO script_firings (tenant_id, name, number, due_at, place, act, fields)
   SELECT $1, e.name, 0, e.due, e.place, e.act, e.fields
     FROM jsonb_to_recordset($2::jsonb) AS e (name text, place bigint, due bigint, act text, fields jsonb)`,
);

/**
 * A script whose rows were just restored or copied is on its way again: what happened before does not set it off, what
 * was being done is not, and seconds count from now where time runs. Answers whether there is one. $2: the sandbox's now
 * in microseconds if its clock is not stored yet, $3: the offset of real time, $4: whether it runs (null: as it is
 * stored), $5: real time.
 */
export const RESTART_SCRIPT = statement(
  'script_restart',
  `WITH place AS (
     SELECT coalesce($2::bigint, ${sqlNowMicros('$3')} + clock_offset) AS now, coalesce($4::boolean, clock_frozen_at IS NULL) AS runs
       FROM sandboxes WHERE tenant_id = $1),
   entries AS (
     UPDATE script_entries SET since = to_timestamp($5::float8 / 1000) WHERE tenant_id = $1 RETURNING name, entry),
   firings AS (
     UPDATE script_firings f
        SET taken_until = NULL, request_id = NULL,
            due_at = CASE WHEN place.runs AND jsonb_typeof(e.entry -> 'at') = 'number'
                          THEN place.now + ((e.entry ->> 'at')::numeric * 1000000)::bigint ELSE f.due_at END
       FROM entries e, place WHERE f.tenant_id = $1 AND f.name = e.name AND f.done_at IS NULL)
   SELECT EXISTS (SELECT FROM entries) AS "hasScript"`,
);

export const SCRIPT_TO_EXPORT = statement(
  'script_to_export',
  `SELECT entry, fired::float8 AS fired, error FROM script_entries WHERE tenant_id = $1 ORDER BY place, name`,
);

/** What documents called issues. */
export const ISSUE_REFS = statement(
  'script_issue_refs',
  "SELECT ref FROM seed_refs WHERE tenant_id = $1 AND thing ? 'identifier'",
);
