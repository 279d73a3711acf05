-- Copies of snapshots: new sandboxes with what an older one held.

-- Whose control token (or admin) made it: the first sandbox of a line of copies. Operators' copies have none.
ALTER TABLE sandboxes ADD COLUMN copied_from bigint;
CREATE INDEX sandboxes_copied_from ON sandboxes (copied_from) WHERE copied_from IS NOT NULL;

-- The rows of a table as they were when an epoch began, in the order in which they were made where the table knows it.
CREATE FUNCTION sandbox_rows_at(tenant bigint, of_table text, since integer) RETURNS TABLE (id text, value text)
  LANGUAGE plpgsql STABLE AS $$
DECLARE
  t sandbox_tables;
  key text;
  place text;
  is_later text := '';
  was_later text := '';
BEGIN
  SELECT * INTO t FROM sandbox_tables s WHERE s.name = of_table AND s.owner IS NOT NULL;
  IF NOT FOUND THEN RETURN; END IF;
  key := (SELECT 'jsonb_build_object(' || string_agg(format('%L, r.%I', k, k), ', ') || ')::text' FROM unnest(t.keys) k);
  place := (SELECT format('ORDER BY (x.image ->> %L)::bigint', a.attname) FROM pg_attribute a
            WHERE a.attrelid = t.name::regclass AND a.attidentity <> '' LIMIT 1);
  IF t.name = 'messages' THEN
    -- new messages are those behind the conversation's counter; one of them may have an image of its own change
    is_later := 'AND NOT EXISTS (SELECT FROM sandbox_images($1, ''conversations'', $2) c WHERE c.key::jsonb ->> ''id'' = r.conversation_id
      AND r.ts > coalesce((c.image ->> ''last_ts'')::bigint, -1))';
    was_later := 'AND NOT EXISTS (SELECT FROM sandbox_images($1, ''conversations'', $2) c
      WHERE c.key::jsonb ->> ''id'' = i.image ->> ''conversation_id''
        AND (i.image ->> ''ts'')::bigint > coalesce((c.image ->> ''last_ts'')::bigint, -1))';
  END IF;
  RETURN QUERY EXECUTE format($q$
    SELECT x.image ->> 'id', x.image::text FROM (
      SELECT to_jsonb(r) AS image FROM %1$I r WHERE %2$s AND NOT EXISTS (
        SELECT FROM sandbox_undo u WHERE u.tenant_id = $1 AND u.tbl = %1$L AND u.key = %3$s AND u.epoch >= $2) %4$s
      UNION ALL
      SELECT i.image FROM sandbox_images($1, %1$L, $2) i WHERE i.image IS NOT NULL %5$s) x %6$s $q$,
    t.name, sandbox_scope(t.owner), key, is_later, was_later, coalesce(place, ''))
    USING tenant, since;
END $$;
