-- Tables of other rooms: conversations. New messages are known by their conversation's counter: an image of each post would cost too much.
-- Those that changed are set, those that went come back.
-- @param may_swap where two rows have swapped a unique name, both are taken out first; what hangs on them is back after another pass
CREATE OR REPLACE FUNCTION sandbox_put_back(t sandbox_tables, tenant bigint, since integer, may_swap boolean) RETURNS void
  LANGUAGE plpgsql AS $$
DECLARE
  same text := (SELECT string_agg(format('x.%1$I = k.%1$I', k), ' AND ') FROM unnest(t.keys) k);
  source text := format('sandbox_images($1, %1$L, $2) i CROSS JOIN LATERAL jsonb_populate_record(NULL::%1$I, i.image) k', t.name);
  -- a message newer than the snapshot may have an image too, of before its own change
  wanted text := CASE WHEN t.name <> 'messages' THEN '' ELSE
    'AND NOT EXISTS (SELECT FROM sandbox_images($1, ''conversations'', $2) c WHERE c.key::jsonb ->> ''id'' = k.conversation_id
       AND k.ts > coalesce((c.image ->> ''last_ts'')::bigint, -1))' END;
  sets text;
  cols text;
  vals text;
  before bigint;
  there bigint := 0;
BEGIN
  SELECT string_agg(format('%I', a.attname), ', ' ORDER BY a.attnum),
         string_agg(format('k.%I', a.attname), ', ' ORDER BY a.attnum),
         string_agg(format('%1$I = ', a.attname) || CASE
             WHEN t.name = 'conversations' AND a.attname = 'members_version' THEN 'x.members_version + 1'
             ELSE format('k.%I', a.attname) END, ', ' ORDER BY a.attnum)
           FILTER (WHERE a.attidentity = '' AND a.attname <> ALL (t.keys || t.keep))
    INTO cols, vals, sets
    FROM pg_attribute a
   WHERE a.attrelid = t.name::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '';
  IF t.name = 'conversations' THEN
    UPDATE sandboxes s SET reset_ts = greatest(s.reset_ts, l.last_ts) FROM (
      SELECT max(x.last_ts) AS last_ts FROM sandbox_images(tenant, t.name, since) i
      JOIN conversations x ON x.id = i.key::jsonb ->> 'id') l
    WHERE s.tenant_id = tenant AND l.last_ts > s.reset_ts;
  END IF;
  SELECT count(*) INTO before FROM sandbox_images(tenant, t.name, since) i WHERE i.image IS NOT NULL;
  IF sets IS NOT NULL THEN
    BEGIN
      EXECUTE format('UPDATE %I x SET %s FROM %s WHERE i.image IS NOT NULL AND %s %s', t.name, sets, source, same, wanted)
        USING tenant, since;
      GET DIAGNOSTICS there = ROW_COUNT;
    EXCEPTION WHEN unique_violation THEN
      IF NOT may_swap THEN RAISE; END IF;
      PERFORM sandbox_take_out(t, tenant, since);
    END;
  END IF;
  IF there < before THEN
    EXECUTE format('INSERT INTO %I (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM %s
      WHERE i.image IS NOT NULL AND NOT EXISTS (SELECT FROM %I x WHERE %s) %s', t.name, cols, vals, source, t.name, same, wanted)
      USING tenant, since;
  END IF;
  IF t.name = 'messages' THEN PERFORM search_put_back(tenant, since); END IF;
END $$;
