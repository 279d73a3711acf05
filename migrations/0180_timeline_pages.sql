-- A timeline's entries are stored in pages, many in one row: a row an entry took more than the call that it told of. What
-- stands in `timeline` is kept for servers of the previous version, and copied once.
CREATE TABLE timeline_pages (
  tenant_id bigint NOT NULL,
  -- the place of its last entry
  last_seq bigint NOT NULL,
  entries integer NOT NULL,
  -- when the newest of them happened
  wall timestamptz NOT NULL,
  kinds text[] NOT NULL,
  -- the events among them, ascending, and the last of these
  events bigint[],
  last_event bigint,
  -- JSON: what lists show; and what is long
  heads text NOT NULL,
  bodies text NOT NULL,
  bytes bigint NOT NULL,
  -- bytes of the timeline up to its end
  ends_at bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant_id, last_seq)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX timeline_pages_of_events ON timeline_pages (tenant_id, last_event) WHERE last_event IS NOT NULL;
CREATE INDEX timeline_pages_age ON timeline_pages (wall);

-- Pages live minutes in a busy timeline: making them smaller takes longer than writing them.
ALTER TABLE timeline_pages ALTER COLUMN heads SET STORAGE EXTERNAL, ALTER COLUMN bodies SET STORAGE EXTERNAL;

INSERT INTO timeline_pages (tenant_id, last_seq, entries, wall, kinds, events, last_event, heads, bodies, bytes, ends_at)
SELECT tenant_id, seq, 1, wall, ARRAY[kind], CASE WHEN event_id IS NOT NULL THEN ARRAY[event_id] END, event_id,
       CASE WHEN event_id IS NOT NULL THEN '[' || event_id || ']'
            ELSE format('[[%s,%s,"%s",%s,%s]]', floor(extract(epoch FROM at) * 1000), floor(extract(epoch FROM wall) * 1000), kind,
                        bytes, coalesce(head, '{}')) END,
       -- what marks a cut answer
       translate(coalesce(body, ''), E'\x1e', E'\x1f'), bytes, ends_at
  FROM timeline;

SELECT sandbox_leave('timeline_pages', 'a reset keeps the timeline');
