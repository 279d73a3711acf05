import { sqlNowMicros } from '../../kernel/clock/clock.js';
import { statement } from '../../kernel/database/statement.js';

/* Hand-written: what is due depends on the clocks of sandboxes, and of several replicas one takes it. */

/** The sandbox's now in microseconds; `param` is the offset of real time. */
const nowOf = (param: string): string => `coalesce(s.clock_frozen_at, ${sqlNowMicros(param)} + s.clock_offset)`;

export interface ShownRow extends Record<string, unknown> {
  readonly name: string;
  readonly entry: Readonly<Record<string, unknown>>;
  readonly fired: number;
  readonly error: string | null;
  /** Microseconds by the sandbox's clock. */
  readonly nextAt: number | null;
  /** Whether that is not later than its now. */
  readonly isDue: boolean | null;
}

/** All entries of a sandbox, or those of $3; $2: the offset of real time. */
export const SCRIPT = statement(
  'script_list',
  `SELECT e.name, e.entry, e.fired::float8 AS fired, e.error, f.due_at::float8 AS "nextAt", f.due_at <= ${nowOf('$2')} AS "isDue"
     FROM script_entries e JOIN sandboxes s ON s.tenant_id = e.tenant_id
     LEFT JOIN LATERAL (
       SELECT min(due_at) AS due_at FROM script_firings
        WHERE tenant_id = e.tenant_id AND name = e.name AND done_at IS NULL) f ON true
    WHERE e.tenant_id = $1 AND ($3::text[] IS NULL OR e.name = ANY($3)) ORDER BY e.place, e.name`,
);

/** One ($2), or all of them (null), with what is due of them. */
export const REMOVE_ENTRIES = statement(
  'script_remove',
  `WITH due AS (DELETE FROM script_firings WHERE tenant_id = $1 AND ($2::text IS NULL OR name = $2))
   DELETE FROM script_entries WHERE tenant_id = $1 AND ($2::text IS NULL OR name = $2) RETURNING name`,
);

/** Sandboxes in which something can set entries off. */
export const WATCHED = statement(
  'script_watched',
  `SELECT DISTINCT e.tenant_id AS "tenantId" FROM script_entries e
     JOIN tenants t ON t.id = e.tenant_id AND t.deleted_at IS NULL
     JOIN sandboxes s ON s.tenant_id = e.tenant_id AND s.pool_role IS NULL WHERE e.entry ? 'when'`,
);

export interface WatchingRow extends Record<string, unknown> {
  readonly name: string;
  readonly place: number;
  readonly entry: {
    readonly when: { readonly for: 'message' | 'event' | 'call' | 'issue'; readonly where?: object | null };
    readonly do: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly after?: number | null;
    readonly times?: number | null;
    readonly skip?: number | null;
  };
  readonly since: Date;
  readonly seen: number;
}

const WATCHING_TEXT = `SELECT name, place, entry, since, seen::float8 AS seen FROM script_entries
  WHERE tenant_id = $1 AND entry ? 'when' ORDER BY place, name`;

export const WATCHING = statement('script_watching', WATCHING_TEXT);
export const HOLD_WATCHING = statement('script_hold_watching', `${WATCHING_TEXT} FOR UPDATE`);

export const POSITION = statement(
  'script_position',
  'SELECT position::float8 AS position FROM script_positions WHERE tenant_id = $1',
);

/** Of several replicas one goes on from here at a time. */
export const HOLD_POSITION = statement(
  'script_hold_position',
  `INSERT INTO script_positions (tenant_id) VALUES ($1)
   ON CONFLICT (tenant_id) DO UPDATE SET position = script_positions.position RETURNING position::float8 AS position`,
);

export const SET_POSITION = statement(
  'script_set_position',
  'UPDATE script_positions SET position = $2 WHERE tenant_id = $1',
);

/** Which acts of the script these requests ($2) were. */
export const ACTS_OF_REQUESTS = statement(
  'script_acts_of_requests',
  `SELECT request_id AS "requestId", name, chain FROM script_firings
    WHERE tenant_id = $1 AND request_id = ANY($2::text[])`,
);

/** $2: a list of what matched, $3: the offset of real time; what was done long ago is forgotten. */
export const ADD_FIRINGS = statement(
  'script_add_firings',
  `WITH old AS (
     DELETE FROM script_firings WHERE tenant_id = $1 AND done_at < now() - interval '10 minutes'),
   seen AS (
     UPDATE script_entries e SET seen = m.seen FROM (
       SELECT r.name, max(r.seen) AS seen FROM jsonb_to_recordset($2::jsonb) AS r (name text, seen bigint) GROUP BY r.name) m
      WHERE e.tenant_id = $1 AND e.name = m.name)
   INSERT INTO script_firings (tenant_id, name, number, due_at, place, immediate, act, fields, cause, chain)
   SELECT $1, r.name, r.seen, ${nowOf('$3')} + r.after, r.place, r.after = 0, r.act, r.fields, r.cause, r.chain
     FROM jsonb_to_recordset($2::jsonb)
       AS r (name text, seen bigint, fires boolean, after bigint, place bigint, act text, fields jsonb, cause text, chain integer),
       sandboxes s WHERE s.tenant_id = $1 AND r.fires`,
);

/** Sandboxes with something to do now. $1: the offset of real time. */
export const DUE_SANDBOXES = statement(
  'script_due_sandboxes',
  `SELECT DISTINCT f.tenant_id AS "tenantId" FROM script_firings f
     JOIN sandboxes s ON s.tenant_id = f.tenant_id AND s.pool_role IS NULL
     JOIN tenants t ON t.id = f.tenant_id AND t.deleted_at IS NULL
    WHERE f.done_at IS NULL AND (f.taken_until IS NULL OR f.taken_until < clock_timestamp())
      AND (s.clock_frozen_at IS NULL OR f.immediate) AND f.due_at <= ${nowOf('$1')}
    LIMIT 100`,
);

export interface WorkRow extends Record<string, unknown> {
  /** The next moment at which something is due or is being done, in microseconds by the sandbox's clock. */
  readonly nextAt: number | null;
  /** Whether that is not later than its now. */
  readonly isDue: boolean | null;
  /** Whether something can set entries off, and how much has. */
  readonly watches: boolean;
  readonly seen: number;
}

/** What the script of a sandbox ($1) is about to do; no row without a script. $2: the offset of real time. */
export const WORK = statement(
  'script_work',
  `SELECT f.due_at::float8 AS "nextAt", f.due_at <= ${nowOf('$2')} AS "isDue", e.watches, e.seen::float8 AS seen
     FROM sandboxes s,
       LATERAL (SELECT bool_or(entry ? 'when') AS watches, sum(seen) AS seen, count(*) AS entries FROM script_entries
                 WHERE tenant_id = s.tenant_id) e,
       LATERAL (SELECT min(due_at) AS due_at FROM script_firings WHERE tenant_id = s.tenant_id AND done_at IS NULL) f
    WHERE s.tenant_id = $1 AND e.entries > 0`,
);

export interface TakenRow extends Record<string, unknown> {
  readonly name: string;
  readonly number: number;
  readonly act: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly cause: string | null;
  readonly chain: number;
  readonly requestId: string;
  /** Whether a replica that is gone had begun it. */
  readonly isRepeated: boolean;
  readonly as: string;
}

/**
 * Takes the first act that is due in a sandbox ($1), unless a replica is doing one: they are done in their order. $2: the
 * id of its request, $3: the offset of real time, $4: for how many milliseconds, $5: of a clock that is being moved.
 */
export const TAKE_DUE = statement(
  'script_take_due',
  `WITH first AS MATERIALIZED (
     SELECT f.name, f.number, f.request_id FROM script_firings f JOIN sandboxes s ON s.tenant_id = f.tenant_id
      WHERE f.tenant_id = $1 AND f.done_at IS NULL AND f.due_at <= ${nowOf('$3')}
        AND ($5::boolean OR s.clock_frozen_at IS NULL OR f.immediate)
      ORDER BY f.due_at, f.place, f.number LIMIT 1 FOR UPDATE OF f)
   UPDATE script_firings f SET request_id = coalesce(f.request_id, $2), taken_until = clock_timestamp() + $4 * interval '1 millisecond'
     FROM first, script_entries e
    WHERE f.tenant_id = $1 AND f.name = first.name AND f.number = first.number
      AND e.tenant_id = f.tenant_id AND e.name = f.name AND f.done_at IS NULL
      AND (f.taken_until IS NULL OR f.taken_until < clock_timestamp())
   RETURNING f.name, f.number::float8 AS number, f.act, f.fields, f.cause, f.chain, f.request_id AS "requestId",
     first.request_id IS NOT NULL AS "isRepeated", e.entry ->> 'as' AS "as"`,
);

/** It was done ($4: what it was refused with). Nothing when a reset has put it back meanwhile. */
export const FINISH = statement(
  'script_finish',
  `WITH done AS (
     UPDATE script_firings SET done_at = clock_timestamp(), taken_until = NULL
      WHERE tenant_id = $1 AND name = $2 AND request_id = $3 AND done_at IS NULL RETURNING name)
   UPDATE script_entries e SET fired = fired + 1, error = $4 FROM done WHERE e.tenant_id = $1 AND e.name = done.name
   RETURNING e.name`,
);

/** It could not be done now: again in a while ($4, milliseconds). */
export const PUT_BACK = statement(
  'script_put_back',
  `UPDATE script_firings SET taken_until = clock_timestamp() + $4 * interval '1 millisecond'
    WHERE tenant_id = $1 AND name = $2 AND request_id = $3 AND done_at IS NULL`,
);
