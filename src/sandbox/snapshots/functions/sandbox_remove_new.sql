-- Tables of other rooms: messages. New messages are known by their conversation's counter: an image of each post would cost too much.
-- Deletes what was not there. Messages that came back in an earlier reset are known by their images as well as by the counter.
CREATE OR REPLACE FUNCTION sandbox_remove_new(t sandbox_tables, tenant bigint, since integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  same text := (SELECT string_agg(format('x.%I = k.%I', k, k), ' AND ') FROM unnest(t.keys) k);
BEGIN
  IF t.name = 'messages' THEN
    DELETE FROM messages m USING sandbox_images(tenant, 'conversations', since) i
    WHERE m.conversation_id = i.key::jsonb ->> 'id' AND m.ts > coalesce((i.image ->> 'last_ts')::bigint, -1);
    IF NOT EXISTS (SELECT FROM sandbox_undo u WHERE u.tenant_id = tenant AND u.tbl = t.name AND u.epoch >= since AND u.image IS NULL)
      THEN RETURN; END IF;
  END IF;
  EXECUTE format('DELETE FROM %1$I x USING sandbox_images($1, %1$L, $2) i
    CROSS JOIN LATERAL jsonb_populate_record(NULL::%1$I, i.key::jsonb) k WHERE i.image IS NULL AND %2$s', t.name, same)
    USING tenant, since;
END $$;
