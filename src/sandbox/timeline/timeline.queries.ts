import { statement } from '../../kernel/database/statement.js';

/* Hand-written: entries are appended in batches and trimmed to a budget of bytes. */

/**
 * Assigns positions to entries, and before them to all events of the same sandboxes that have none yet: an event
 * precedes the call that caused it. The row of `timelines` is locked from the count to the end of the statement, so
 * within a sandbox positions are in the order of commits and nothing appears later at a lower one. Events without a
 * position are computed as a difference of two sets, which is fast even with a planner that has no statistics yet. $1
 * sandboxes; $2 to $8 entries: tenant, at (null: as wall, by the sandbox's clock), wall (milliseconds), kind, heads and
 * bodies (`textArray`), bytes; $9 most events at once.
 */
export const APPEND = statement(
  'timeline_append',
  `WITH wanted AS MATERIALIZED (
     SELECT t.id AS tenant_id, coalesce(s.events_from, 0) AS from_id, sandbox_shift(sb.clock_offset, sb.clock_frozen_at) AS shift
       FROM unnest($1::bigint[]) t (id) LEFT JOIN timelines s ON s.tenant_id = t.id
       LEFT JOIN sandboxes sb ON sb.tenant_id = t.id),
   fresh AS MATERIALIZED (
     SELECT w.tenant_id, e.id AS event_id, e.recorded_at AS wall, e.bytes,
            sandbox_moment(e.recorded_at, e.clock) AS at
       FROM wanted w CROSS JOIN LATERAL (
         SELECT e.id, e.recorded_at, e.clock, octet_length(e.data) AS bytes FROM (
           SELECT id FROM events WHERE tenant_id = w.tenant_id AND id > w.from_id
           EXCEPT SELECT event_id FROM timeline WHERE tenant_id = w.tenant_id AND event_id > w.from_id
           ORDER BY id DESC LIMIT $9) n JOIN events e ON e.id = n.id) e),
   given AS (
     SELECT * FROM unnest($2::bigint[], $3::float8[], $4::float8[], $5::text[], $6::text[], $7::text[], $8::int[])
       WITH ORDINALITY AS g (tenant_id, at, wall, kind, head, body, bytes, n)),
   all_new AS MATERIALIZED (
     SELECT tenant_id, at, wall, 'event' AS kind, event_id, NULL::text AS head, NULL::text AS body, bytes, 0 AS part, event_id AS n
       FROM fresh
     UNION ALL
     SELECT g.tenant_id, coalesce(to_timestamp(g.at / 1000), sandbox_moment(to_timestamp(g.wall / 1000), w.shift)),
            to_timestamp(g.wall / 1000), g.kind, NULL, g.head, g.body, g.bytes, 1, g.n FROM given g JOIN wanted w USING (tenant_id)),
   counted AS MATERIALIZED (
     SELECT tenant_id, count(*) AS entries, sum(bytes) AS bytes, coalesce(min(event_id) - 1, 0) AS before,
            coalesce(max(event_id), 0) AS last
       FROM all_new GROUP BY tenant_id),
   placed AS MATERIALIZED (
     INSERT INTO timelines AS s (tenant_id, last_seq, bytes, events_to, events_pivot, events_from)
     SELECT tenant_id, entries, bytes, last, before, before FROM counted ORDER BY tenant_id
     ON CONFLICT (tenant_id) DO UPDATE
        SET last_seq = s.last_seq + excluded.last_seq,
            bytes = s.bytes + excluded.bytes,
            events_to = greatest(s.events_to, excluded.events_to),
            events_from = CASE WHEN s.rotated_at < clock_timestamp() - interval '3 seconds'
                               THEN greatest(s.events_from, s.events_pivot) ELSE s.events_from END,
            events_pivot = CASE WHEN s.rotated_at < clock_timestamp() - interval '3 seconds'
                                THEN s.events_to ELSE s.events_pivot END,
            rotated_at = CASE WHEN s.rotated_at < clock_timestamp() - interval '3 seconds'
                              THEN clock_timestamp() ELSE s.rotated_at END
     RETURNING tenant_id, last_seq, bytes),
   stored AS (
     INSERT INTO timeline (tenant_id, seq, at, wall, kind, event_id, head, body, bytes, ends_at)
     SELECT a.tenant_id, p.last_seq - c.entries + row_number() OVER earlier, a.at, a.wall, a.kind, a.event_id, a.head,
            a.body, a.bytes, p.bytes - c.bytes + sum(a.bytes) OVER earlier
       FROM all_new a JOIN counted c USING (tenant_id) JOIN placed p USING (tenant_id)
     WINDOW earlier AS (PARTITION BY a.tenant_id ORDER BY a.part, a.n)
     ON CONFLICT DO NOTHING
     RETURNING tenant_id, seq, bytes)
   SELECT tenant_id, count(*)::int AS entries, sum(bytes)::float8 AS bytes, max(seq) AS last FROM stored GROUP BY tenant_id`,
  { keepsCallers: true },
);

export interface AppendedRow {
  readonly tenant_id: number;
  readonly entries: number;
  readonly bytes: number;
  readonly last: number;
}

/**
 * Deletes the oldest entries of a sandbox ($1) beyond this many entries ($2) and bytes ($3). It reads those and the
 * first one that stays, however many there are.
 */
export const TRIM = statement(
  'timeline_trim',
  `WITH ring AS MATERIALIZED (
     SELECT trimmed_seq, greatest(trimmed_seq, last_seq - $2::int) AS before, last_seq, bytes - $3::float8 AS from_byte
       FROM timelines WHERE tenant_id = $1),
   kept AS MATERIALIZED (
     SELECT coalesce((SELECT l.seq FROM timeline l
               WHERE l.tenant_id = $1 AND l.seq > ring.before AND l.ends_at - l.bytes >= ring.from_byte
               ORDER BY l.seq LIMIT 1), ring.last_seq + 1) AS first, ring.trimmed_seq
       FROM ring),
   gone AS (
     DELETE FROM timeline l USING kept WHERE l.tenant_id = $1 AND l.seq > kept.trimmed_seq AND l.seq < kept.first
     RETURNING l.event_id)
   UPDATE timelines s SET trimmed_seq = greatest(s.trimmed_seq, kept.first - 1),
          events_from = greatest(s.events_from, (SELECT max(event_id) FROM gone))
     FROM kept WHERE s.tenant_id = $1`,
  { keepsCallers: true },
);

/** Entries older than $1 hours, a page of them; and those of deleted sandboxes. */
export const FORGET = statement(
  'timeline_forget',
  `DELETE FROM timeline WHERE (tenant_id, seq) IN (
     SELECT tenant_id, seq FROM timeline WHERE wall < clock_timestamp() - $1::int * interval '1 hour' ORDER BY wall LIMIT 5000)
   RETURNING 1 AS gone`,
);
export const FORGET_TENANTS = statement(
  'timeline_forget_tenants',
  `WITH dead AS MATERIALIZED (
     SELECT s.tenant_id FROM timelines s LEFT JOIN tenants t ON t.id = s.tenant_id
      WHERE t.id IS NULL OR t.deleted_at IS NOT NULL LIMIT 100),
   entries AS (DELETE FROM timeline l USING dead WHERE l.tenant_id = dead.tenant_id),
   asked AS (DELETE FROM faults f USING dead WHERE f.tenant_id = dead.tenant_id)
   DELETE FROM timelines s USING dead WHERE s.tenant_id = dead.tenant_id RETURNING s.tenant_id`,
);

/** $1 sandbox, $2 the number of entries it keeps. */
export const STATE = statement(
  'timeline_state',
  `SELECT s.last_seq, s.mark, s.cleared_seq, s.clearings,
          (SELECT l.seq FROM timeline l WHERE l.tenant_id = $1 AND l.seq > greatest(s.trimmed_seq, s.last_seq - $2::int)
            ORDER BY l.seq LIMIT 1) AS oldest
     FROM timelines s WHERE s.tenant_id = $1`,
);
export interface StateRow {
  readonly last_seq: number;
  readonly mark: number;
  readonly cleared_seq: number;
  readonly clearings: number;
  readonly oldest: number | null;
}

export const SET_MARK = statement(
  'timeline_mark',
  `INSERT INTO timelines AS s (tenant_id) VALUES ($1)
   ON CONFLICT (tenant_id) DO UPDATE SET mark = s.last_seq RETURNING mark`,
);

/** Waits of the sandboxes $1 begin at their last entry of one of the kinds $2. */
export const MARK_LAST = statement(
  'timeline_mark_last',
  `UPDATE timelines s SET mark = greatest(s.mark, coalesce((SELECT l.seq FROM timeline l
      WHERE l.tenant_id = s.tenant_id AND l.kind = ANY($2::text[]) ORDER BY l.seq DESC LIMIT 1), 0))
    WHERE s.tenant_id = ANY($1::bigint[])`,
  { keepsCallers: true },
);

/** Empties it; events that had a position get no new one. */
export const CLEAR = statement(
  'timeline_clear',
  `WITH gone AS (DELETE FROM timeline WHERE tenant_id = $1),
   last AS (SELECT coalesce(max(id), 0) AS id FROM events WHERE tenant_id = $1)
   INSERT INTO timelines AS s (tenant_id, events_to, events_pivot, events_from) SELECT $1, id, id, id FROM last
   ON CONFLICT (tenant_id) DO UPDATE
      SET cleared_seq = s.last_seq, clearings = s.clearings + 1, events_to = greatest(s.events_to, excluded.events_to),
          events_pivot = greatest(s.events_to, excluded.events_to), events_from = greatest(s.events_to, excluded.events_to)
   RETURNING last_seq, clearings`,
);

/**
 * $1 tenant; $2, $3 range of positions; $4 kinds; $5 most; $6 a condition on the stored fields of calls, so that most
 * entries that would be filtered out later are not read.
 */
const COLUMNS = `l.seq, l.at, l.wall, l.kind, l.event_id, l.head, l.bytes, e.product, e.kind AS event, e.room, e.sync_id, e.cause`;
const FROM = `FROM timeline l LEFT JOIN events e ON e.id = l.event_id
  WHERE l.tenant_id = $1 AND l.seq > $2 AND l.seq < $3 AND ($4::text[] IS NULL OR l.kind = ANY($4::text[]))
    AND (l.event_id IS NULL OR e.id IS NOT NULL)
    AND ($6::text[] IS NULL OR l.kind <> 'call' OR l.head COLLATE "C" ~ ALL($6::text[]))`;

export const READ_ASC = statement(
  'timeline_read_asc',
  `SELECT ${COLUMNS}, l.body, e.data ${FROM} ORDER BY l.seq LIMIT $5`,
);
export const READ_DESC = statement(
  'timeline_read_desc',
  `SELECT ${COLUMNS}, l.body, e.data ${FROM} ORDER BY l.seq DESC LIMIT $5`,
);

export interface EntryRow {
  readonly seq: number;
  readonly at: Date;
  readonly wall: Date;
  readonly kind: string;
  readonly event_id: number | null;
  readonly head: string | null;
  readonly body: string | null;
  readonly bytes: number;
  readonly product: string | null;
  readonly event: string | null;
  readonly room: string | null;
  readonly sync_id: number | null;
  readonly cause: string | null;
  readonly data: string | null;
}

/** Positions of all sandboxes $1 that have any, to find new entries. */
export const LAST_PLACES = statement(
  'timeline_last_places',
  `SELECT tenant_id, last_seq, clearings FROM timelines WHERE tenant_id = ANY($1::bigint[])`,
);
