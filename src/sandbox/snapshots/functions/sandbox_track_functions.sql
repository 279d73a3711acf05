-- Makes the trigger functions of a tracked table. In each, the rows that changed are `r`.
CREATE OR REPLACE FUNCTION sandbox_track_functions(t sandbox_tables) RETURNS void LANGUAGE plpgsql AS $fn$
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
