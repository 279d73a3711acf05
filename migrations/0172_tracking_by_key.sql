-- Tracking looks for the image of a row by its whole key. The planner took the images of a table and a tenant for few, as they
-- once were, and a session kept such a plan: every change of a message then read all images of messages that the sandbox
-- had, so that writes became slower the more had been changed since the baseline. Plans that read or hash whole tables are
-- off in these functions, as what they look up is always a row by its key. The rows of a statement are nearly always of one
-- tenant, which is found once.

-- Makes the trigger functions of a tracked table. In each, the rows that changed are `r`.
CREATE FUNCTION sandbox_track_functions(t sandbox_tables) RETURNS void LANGUAGE plpgsql AS $fn$
DECLARE
  joins text := sandbox_join(t.owner);
  key text := (SELECT 'jsonb_build_object(' || string_agg(format('%L, r.%I', k, k), ', ') || ')::text' FROM unnest(t.keys) k);
  same text := (SELECT string_agg(format('n.%I = r.%I', k, k), ' AND ') FROM unnest(t.keys) k);
  -- a scalar subquery is looked up row by row, where the planner may make a join of NOT EXISTS
  known text := format('(SELECT u.epoch FROM sandbox_undo u
            WHERE u.tenant_id = tenant AND u.tbl = %L AND u.key = %s AND u.epoch = now_at) IS NULL', t.name, key);
  really text := format('NOT EXISTS (SELECT FROM new_rows n WHERE %s AND to_jsonb(n) - %L::text[] = to_jsonb(r) - %L::text[])',
    same, t.keep, t.keep);
  made record;
BEGIN
  FOR made IN SELECT * FROM (VALUES
      ('track_new_', 'new_rows', 'NULL::jsonb', 'true', 'true'),
      ('track_old_', 'old_rows', 'to_jsonb(r)', 'true', known),
      ('track_changed_', 'old_rows', 'to_jsonb(r)', really, 'true')) f (prefix, rows, image, counts, missing)
    WHERE f.prefix <> 'track_changed_' OR t.keep <> '{}'
  LOOP
    EXECUTE format($f$
      CREATE OR REPLACE FUNCTION %1$I() RETURNS trigger LANGUAGE plpgsql
        SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $t$
      DECLARE
        tenants bigint[] := ARRAY(SELECT DISTINCT s.tenant_id FROM %2$s r %3$s WHERE s.epoch > 0 AND %4$s ORDER BY 1);
        tenant bigint;
        now_at integer;
      BEGIN
        FOREACH tenant IN ARRAY tenants LOOP
          PERFORM sandbox_enter(tenant);
        END LOOP;
        -- read when the sandbox is entered: a reset that ended just before may have begun another epoch
        IF cardinality(tenants) = 1 THEN
          SELECT sandbox_epoch(s.tenant_id, s.epoch, s.reset_at) INTO now_at FROM sandboxes s
          WHERE s.tenant_id = tenant AND s.epoch > 0;
          IF NOT FOUND THEN RETURN NULL; END IF;
          INSERT INTO sandbox_undo (tenant_id, tbl, key, epoch, image)
          SELECT tenant, %5$L, %6$s, now_at, %7$s FROM %2$s r WHERE %4$s AND %8$s
          ON CONFLICT DO NOTHING;
        ELSIF tenants <> '{}' THEN
          INSERT INTO sandbox_undo (tenant_id, tbl, key, epoch, image)
          SELECT s.tenant_id, %5$L, %6$s, sandbox_epoch(s.tenant_id, s.epoch, s.reset_at), %7$s FROM %2$s r %3$s
          WHERE s.epoch > 0 AND %4$s
          ON CONFLICT DO NOTHING;
        END IF;
        RETURN NULL;
      END $t$ $f$, made.prefix || t.name, made.rows, joins, made.counts, t.name, key, made.image, made.missing);
  END LOOP;
END $fn$;

-- @param inserts false where new rows are found in another way (messages: by the conversation's counter)
CREATE OR REPLACE FUNCTION sandbox_track(tbl text, owner text, keys text[], keep text[] DEFAULT '{}', inserts boolean DEFAULT true)
  RETURNS void LANGUAGE plpgsql AS $fn$
DECLARE
  t sandbox_tables;
BEGIN
  INSERT INTO sandbox_tables (name, owner, keys, keep) VALUES (tbl, owner, keys, keep) RETURNING * INTO t;
  PERFORM sandbox_track_functions(t);
  IF inserts THEN
    EXECUTE format('CREATE TRIGGER track_new AFTER INSERT ON %I REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION %I()',
      tbl, 'track_new_' || tbl);
  END IF;
  EXECUTE format('CREATE TRIGGER track_changed AFTER UPDATE ON %I REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION %I()',
    tbl, CASE WHEN keep = '{}' THEN 'track_old_' ELSE 'track_changed_' END || tbl);
  EXECUTE format('CREATE TRIGGER track_gone AFTER DELETE ON %I REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION %I()',
    tbl, 'track_old_' || tbl);
END $fn$;

SELECT sandbox_track_functions(t) FROM sandbox_tables t WHERE t.owner IS NOT NULL;
