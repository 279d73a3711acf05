-- Tables of other rooms: conversations, messages, workspaces. New messages are known by their conversation's counter: an image of each post would cost too much.
-- The net effect since a snapshot, from the rows themselves: what the first images of one table's rows say beside the rows
-- as they are now. Changes of the columns `follows` alone are none. Of each class at most `most` rows, and how many there are.
CREATE OR REPLACE FUNCTION sandbox_changes(tenant bigint, of_table text, since integer, follows text[], most integer)
  RETURNS TABLE (class text, total bigint, before jsonb, after jsonb) LANGUAGE plpgsql STABLE AS $$
DECLARE
  t sandbox_tables;
  same text;
  found_rows text;
BEGIN
  SELECT * INTO t FROM sandbox_tables s WHERE s.name = of_table AND s.owner IS NOT NULL;
  IF NOT FOUND THEN RETURN; END IF;
  same := (SELECT string_agg(format('r.%I = k.%I', k, k), ' AND ') FROM unnest(t.keys) k);
  found_rows := format($q$
    SELECT i.image AS before, to_jsonb(r) AS after
    FROM sandbox_images($1, %1$L, $2) i CROSS JOIN LATERAL jsonb_populate_record(NULL::%1$I, i.key::jsonb) k
    LEFT JOIN LATERAL (SELECT * FROM %1$I r WHERE %2$s AND %3$s) r ON true $q$, t.name, same, sandbox_scope(t.owner));
  IF t.name = 'messages' THEN
    -- new messages are those behind the conversation's counter; one of them may have an image of its own change
    found_rows := found_rows || $q$
      WHERE NOT EXISTS (SELECT FROM sandbox_images($1, 'conversations', $2) c WHERE c.key::jsonb ->> 'id' = k.conversation_id
        AND k.ts > coalesce((c.image ->> 'last_ts')::bigint, -1))
      UNION ALL
      SELECT NULL, to_jsonb(m) FROM sandbox_images($1, 'conversations', $2) c
      JOIN conversations v ON v.id = c.key::jsonb ->> 'id' JOIN workspaces w ON w.id = v.workspace_id AND w.tenant_id = $1
      JOIN messages m ON m.conversation_id = v.id AND m.ts > coalesce((c.image ->> 'last_ts')::bigint, -1) $q$;
  END IF;
  RETURN QUERY EXECUTE format($q$
    SELECT n.class, n.total, n.before, n.after FROM (
      SELECT c.class, c.before, c.after, count(*) OVER (PARTITION BY c.class) AS total,
             row_number() OVER (PARTITION BY c.class ORDER BY
               coalesce(c.after, c.before) ->> 'created_at', coalesce(c.after, c.before) ->> 'ts', coalesce(c.after, c.before)::text) AS n
      FROM (
        SELECT f.before, f.after, CASE WHEN f.before IS NULL THEN 'added' WHEN f.after IS NULL THEN 'removed' ELSE 'changed' END AS class
        FROM (%s) f WHERE f.before - $3 IS DISTINCT FROM f.after - $3) c) n
    WHERE n.n <= $4 ORDER BY n.class, n.n $q$, found_rows)
    USING tenant, since, follows, most;
END $$;
