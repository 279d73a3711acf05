-- Nothing is kept of messages that come after all that was ever there, as they do unless the clock was ahead or stands still.
CREATE OR REPLACE FUNCTION track_messages_made_again() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM (SELECT n.conversation_id, min(n.ts) AS ts FROM new_rows n GROUP BY n.conversation_id) r
    -- a scalar subquery is looked up row by row, by its keys
    WHERE r.ts <= (SELECT s.reset_ts FROM conversations c JOIN workspaces w ON w.id = c.workspace_id
                   JOIN sandboxes s ON s.tenant_id = w.tenant_id WHERE c.id = r.conversation_id)) THEN RETURN NULL; END IF;
  INSERT INTO sandbox_undo (tenant_id, tbl, key, epoch)
  SELECT s.tenant_id, 'messages', jsonb_build_object('conversation_id', r.conversation_id, 'ts', r.ts)::text, s.epoch
  FROM new_rows r JOIN conversations c ON c.id = r.conversation_id JOIN workspaces w ON w.id = c.workspace_id
  JOIN sandboxes s ON s.tenant_id = w.tenant_id
  WHERE s.epoch > 0 AND r.ts <= s.reset_ts
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
