-- Tables of other rooms: conversations. New messages are known by their conversation's counter: an image of each post would cost too much.
-- The newest message of a conversation when an epoch began; -1: it had none, or was not there.
CREATE OR REPLACE FUNCTION sandbox_last_ts(tenant bigint, conversation text, since integer) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
  was bigint;
BEGIN
  SELECT (u.image ->> 'last_ts')::bigint INTO was FROM sandbox_undo u
   WHERE u.tenant_id = tenant AND u.tbl = 'conversations' AND u.key = jsonb_build_object('id', conversation)::text AND u.epoch >= since
   ORDER BY u.epoch LIMIT 1;
  IF NOT FOUND THEN
    SELECT c.last_ts INTO was FROM conversations c WHERE c.id = conversation;
  END IF;
  RETURN coalesce(was, -1);
END $$;
