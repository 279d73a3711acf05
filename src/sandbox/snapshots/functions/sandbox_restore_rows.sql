-- Tables of other rooms: messages. New messages are known by their conversation's counter: an image of each post would cost too much.
CREATE OR REPLACE FUNCTION sandbox_restore_rows(tenant bigint, since integer, may_swap boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  t sandbox_tables;
  grown text[];
  changed text[];
BEGIN
  -- new messages have no images: they are those behind their conversation's counter
  SELECT array_agg(DISTINCT u.tbl) FILTER (WHERE u.image IS NULL)
           || CASE WHEN bool_or(u.tbl = 'conversations') THEN ARRAY['messages'] ELSE '{}' END,
         array_agg(DISTINCT u.tbl) FILTER (WHERE u.image IS NOT NULL)
    INTO grown, changed
    FROM sandbox_undo u WHERE u.tenant_id = tenant AND u.epoch >= since;
  FOR t IN SELECT * FROM sandbox_tables s WHERE s.owner IS NOT NULL AND s.name = ANY (grown) ORDER BY s.position DESC LOOP
    PERFORM sandbox_remove_new(t, tenant, since);
  END LOOP;
  IF 'messages' = ANY (changed) THEN
    -- a message that comes back was not there for snapshots of meanwhile, and its insert leaves no image
    INSERT INTO sandbox_undo (tenant_id, tbl, key, epoch)
    SELECT tenant, 'messages', i.key, s.epoch FROM sandbox_images(tenant, 'messages', since) i
    JOIN sandboxes s ON s.tenant_id = tenant AND s.epoch > 0
    WHERE i.image IS NOT NULL AND NOT EXISTS (
      SELECT FROM messages m WHERE m.conversation_id = i.image ->> 'conversation_id' AND m.ts = (i.image ->> 'ts')::bigint)
    ON CONFLICT DO NOTHING;
  END IF;
  FOR t IN SELECT * FROM sandbox_tables s WHERE s.owner IS NOT NULL AND s.name = ANY (changed) ORDER BY s.position LOOP
    PERFORM sandbox_remove_made_again(t, tenant, since);
    PERFORM sandbox_put_back(t, tenant, since, may_swap);
  END LOOP;
END $$;
