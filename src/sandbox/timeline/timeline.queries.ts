import { statement } from '../../kernel/database/statement.js';
import { MAX_PAGE_ENTRIES } from './page.js';

/* Hand-written: entries are appended in pages, at positions that are compared first, and trimmed to a budget of bytes. */

/**
 * The positions of the sandboxes $1, and their events that have none yet, oldest first; at least one row each. Events
 * without a position are computed as a difference of two sets, which is fast even with a planner that has no statistics
 * yet. $2 most events of a sandbox, the newest.
 */
export const UNPLACED = statement(
  'timeline_unplaced',
  `WITH wanted AS MATERIALIZED (SELECT DISTINCT id AS tenant_id FROM unnest($1::bigint[]) t (id)),
   begun AS (
     INSERT INTO timelines (tenant_id)
     SELECT tenant_id FROM wanted w WHERE NOT EXISTS (SELECT FROM timelines s WHERE s.tenant_id = w.tenant_id)
     ORDER BY tenant_id ON CONFLICT DO NOTHING)
   SELECT w.tenant_id, coalesce(s.last_seq, 0) AS last_seq, coalesce(s.clearings, 0) AS clearings,
          sandbox_shift(sb.clock_offset, sb.clock_frozen_at) AS shift, e.id, e.wall_ms, e.bytes, e.cause
     FROM wanted w LEFT JOIN timelines s ON s.tenant_id = w.tenant_id LEFT JOIN sandboxes sb ON sb.tenant_id = w.tenant_id
     LEFT JOIN LATERAL (
       SELECT e.id, extract(epoch FROM e.recorded_at)::float8 * 1000 AS wall_ms, octet_length(e.data) AS bytes, e.cause FROM (
         SELECT id FROM events WHERE tenant_id = w.tenant_id AND id > coalesce(s.events_from, 0)
         EXCEPT SELECT unnest(p.events) FROM timeline_pages p
                 WHERE p.tenant_id = w.tenant_id AND p.last_event > coalesce(s.events_from, 0)
         ORDER BY id DESC LIMIT $2) n JOIN events e ON e.id = n.id) e ON true
    ORDER BY w.tenant_id, e.id`,
  { keeps: 'everything' },
);
export interface UnplacedRow {
  readonly tenant_id: number;
  readonly last_seq: number;
  readonly clearings: number;
  readonly shift: number | null;
  readonly id: number | null;
  readonly wall_ms: number;
  readonly bytes: number;
  readonly cause: string | null;
}

/**
 * Appends pages, oldest first, to those sandboxes whose timelines are still as they were read; returns those. So a
 * position is given once, within a sandbox they are in the order of commits, and nothing appears later at a lower one. $1
 * to $11, one element a page: tenant, its last position and number of clearings as read, entries, newest moment
 * (milliseconds), kinds and events as arrays, heads, bodies, bytes, the position of its last mark (0: none).
 */
export const APPEND = statement(
  'timeline_append_pages',
  `WITH given AS MATERIALIZED (
     SELECT tenant_id, known_seq, known_clearings, entries, to_timestamp(wall / 1000) AS wall, kinds::text[] AS kinds,
            events::bigint[] AS events, heads, bodies, bytes, mark, n
       FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::int[], $5::float8[], $6::text[], $7::text[], $8::text[], $9::text[],
                   $10::bigint[], $11::bigint[])
       WITH ORDINALITY AS g (tenant_id, known_seq, known_clearings, entries, wall, kinds, events, heads, bodies, bytes, mark, n)),
   counted AS MATERIALIZED (
     SELECT tenant_id, min(known_seq) AS known_seq, min(known_clearings) AS known_clearings, sum(entries) AS entries,
            sum(bytes) AS bytes, max(mark) AS mark, coalesce(min(events[1]) - 1, 0) AS before, coalesce(max(events[array_upper(events, 1)]), 0) AS last
       FROM given GROUP BY tenant_id),
   unchanged AS MATERIALIZED (
     SELECT s.tenant_id FROM timelines s JOIN counted c USING (tenant_id)
      WHERE s.last_seq = c.known_seq AND s.clearings = c.known_clearings ORDER BY s.tenant_id FOR UPDATE OF s),
   placed AS (
     UPDATE timelines s
        SET last_seq = s.last_seq + c.entries,
            bytes = s.bytes + c.bytes,
            mark = greatest(s.mark, c.mark),
            events_to = greatest(s.events_to, c.last),
            events_from = CASE WHEN s.events_to = 0 THEN c.before
                               WHEN s.rotated_at < clock_timestamp() - interval '3 seconds'
                               THEN greatest(s.events_from, s.events_pivot) ELSE s.events_from END,
            events_pivot = CASE WHEN s.events_to = 0 THEN c.before
                                WHEN s.rotated_at < clock_timestamp() - interval '3 seconds'
                                THEN s.events_to ELSE s.events_pivot END,
            rotated_at = CASE WHEN s.rotated_at < clock_timestamp() - interval '3 seconds'
                              THEN clock_timestamp() ELSE s.rotated_at END
       FROM counted c JOIN unchanged u USING (tenant_id)
      WHERE s.tenant_id = c.tenant_id
     RETURNING s.tenant_id, s.bytes),
   stored AS (
     INSERT INTO timeline_pages (tenant_id, last_seq, entries, wall, kinds, events, last_event, heads, bodies, bytes, ends_at)
     SELECT g.tenant_id, g.known_seq + sum(g.entries) OVER earlier, g.entries, g.wall, g.kinds, g.events,
            g.events[array_upper(g.events, 1)], g.heads, g.bodies, g.bytes, p.bytes - c.bytes + sum(g.bytes) OVER earlier
       FROM given g JOIN counted c USING (tenant_id) JOIN placed p USING (tenant_id)
     WINDOW earlier AS (PARTITION BY g.tenant_id ORDER BY g.n))
   SELECT tenant_id FROM placed`,
  { keeps: 'everything' },
);

/** Those of the pages $3 (their heads) that sandboxes $1 have at the positions $2, by their number. */
export const STORED = statement(
  'timeline_stored_pages',
  `SELECT g.n::int AS n
     FROM unnest($1::bigint[], $2::bigint[], $3::text[]) WITH ORDINALITY AS g (tenant_id, last_seq, heads, n)
     JOIN timeline_pages p ON p.tenant_id = g.tenant_id AND p.last_seq = g.last_seq AND p.heads = g.heads`,
);

/**
 * Deletes the oldest pages of a sandbox ($1) beyond this many entries ($2) and bytes ($3). It reads those and the first
 * one that stays, however many there are.
 */
export const TRIM = statement(
  'timeline_trim_pages',
  `WITH ring AS MATERIALIZED (
     SELECT trimmed_seq, greatest(trimmed_seq, last_seq - $2::int) AS before, last_seq, bytes - $3::float8 AS from_byte
       FROM timelines WHERE tenant_id = $1),
   kept AS MATERIALIZED (
     SELECT coalesce((SELECT p.last_seq FROM timeline_pages p
               WHERE p.tenant_id = $1 AND p.last_seq > ring.before AND p.ends_at - p.bytes >= ring.from_byte
               ORDER BY p.last_seq LIMIT 1), ring.last_seq + 1) AS first, ring.trimmed_seq
       FROM ring),
   gone AS (
     DELETE FROM timeline_pages p USING kept WHERE p.tenant_id = $1 AND p.last_seq > kept.trimmed_seq AND p.last_seq < kept.first
     RETURNING p.last_seq, p.last_event)
   UPDATE timelines s SET trimmed_seq = greatest(s.trimmed_seq, (SELECT max(last_seq) FROM gone)),
          events_from = greatest(s.events_from, (SELECT max(last_event) FROM gone))
    WHERE s.tenant_id = $1`,
  { keeps: 'everything' },
);

/** Pages older than $1 hours, some thousand at a time; and those of deleted sandboxes. */
export const FORGET = statement(
  'timeline_forget_pages',
  `DELETE FROM timeline_pages WHERE (tenant_id, last_seq) IN (
     SELECT tenant_id, last_seq FROM timeline_pages WHERE wall < clock_timestamp() - $1::int * interval '1 hour'
      ORDER BY wall LIMIT 5000)
   RETURNING 1 AS gone`,
);
export const FORGET_TENANTS = statement(
  'timeline_forget_tenants',
  `WITH dead AS MATERIALIZED (
     SELECT s.tenant_id FROM timelines s LEFT JOIN tenants t ON t.id = s.tenant_id
      WHERE t.id IS NULL OR t.deleted_at IS NOT NULL LIMIT 100),
   pages AS (DELETE FROM timeline_pages p USING dead WHERE p.tenant_id = dead.tenant_id),
   entries AS (DELETE FROM timeline l USING dead WHERE l.tenant_id = dead.tenant_id),
   asked AS (DELETE FROM faults f USING dead WHERE f.tenant_id = dead.tenant_id)
   DELETE FROM timelines s USING dead WHERE s.tenant_id = dead.tenant_id RETURNING s.tenant_id`,
);

/** $1 sandbox, $2 the number of entries it keeps. */
export const STATE = statement(
  'timeline_state',
  `SELECT s.last_seq, s.mark, s.cleared_seq, s.clearings,
          (SELECT greatest(p.last_seq - p.entries, s.last_seq - $2::int) + 1 FROM timeline_pages p
            WHERE p.tenant_id = $1 AND p.last_seq > greatest(s.trimmed_seq, s.last_seq - $2::int)
            ORDER BY p.last_seq LIMIT 1) AS oldest
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

/** Empties it; events that had a position get no new one. */
export const CLEAR = statement(
  'timeline_clear',
  `WITH gone AS (DELETE FROM timeline_pages WHERE tenant_id = $1),
   last AS (SELECT coalesce(max(id), 0) AS id FROM events WHERE tenant_id = $1)
   INSERT INTO timelines AS s (tenant_id, events_to, events_pivot, events_from) SELECT $1, id, id, id FROM last
   ON CONFLICT (tenant_id) DO UPDATE
      SET cleared_seq = s.last_seq, clearings = s.clearings + 1, events_to = greatest(s.events_to, excluded.events_to),
          events_pivot = greatest(s.events_to, excluded.events_to), events_from = greatest(s.events_to, excluded.events_to)
   RETURNING last_seq, clearings`,
);

/**
 * Pages with entries in a range, in order. $1 tenant; $2, $3 range of positions; $4 kinds; $5 most entries; $6 a
 * condition on the stored fields of calls: the bodies of pages that have only other calls are not read.
 */
const pagesOf = (order: 'ASC' | 'DESC'): string =>
  `SELECT p.last_seq, p.entries, p.heads, p.events,
          CASE WHEN $6::text[] IS NULL OR NOT p.kinds <@ ARRAY['call', 'event'] OR p.heads COLLATE "C" ~ ALL($6::text[]) THEN p.bodies END AS bodies
     FROM (SELECT q.*, sum(q.entries) OVER (ORDER BY q.last_seq ${order}) - q.entries AS before
             FROM (SELECT last_seq, entries, kinds, heads, events, bodies FROM timeline_pages
                    WHERE tenant_id = $1 AND last_seq > $2 AND last_seq < $3::bigint + ${MAX_PAGE_ENTRIES}
                      AND last_seq - entries + 1 < $3 AND ($4::text[] IS NULL OR kinds && $4::text[])
                    ORDER BY last_seq ${order} LIMIT $5) q) p
    WHERE p.before < $5 ORDER BY p.last_seq ${order}`;
export const PAGES_ASC = statement('timeline_pages_asc', pagesOf('ASC'));
export const PAGES_DESC = statement('timeline_pages_desc', pagesOf('DESC'));
export interface PageRow {
  readonly last_seq: number;
  readonly entries: number;
  readonly heads: string;
  readonly bodies: string | null;
  readonly events: readonly number[] | null;
}

/** The events $1, as far as they are still there. */
export const EVENTS_OF_PAGES = statement(
  'timeline_events',
  `SELECT e.id, e.recorded_at AS wall, sandbox_moment(e.recorded_at, e.clock) AS at, octet_length(e.data) AS bytes, e.product,
          e.kind AS event, e.room, e.sync_id, e.cause, e.data
     FROM events e WHERE e.id = ANY($1::bigint[])`,
);
export interface EventRow {
  readonly id: number;
  readonly at: Date;
  readonly wall: Date;
  readonly bytes: number;
  readonly product: string;
  readonly event: string;
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
