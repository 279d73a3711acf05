CREATE OR REPLACE FUNCTION search_follow_thread() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.reply_count > 0 THEN
    INSERT INTO message_facets (conversation_id, ts, facet, workspace_id)
    SELECT conversation_id, ts, 'thread', workspace_id FROM message_search
    WHERE conversation_id = NEW.conversation_id AND ts = NEW.ts ON CONFLICT DO NOTHING;
  ELSE
    DELETE FROM message_facets WHERE conversation_id = NEW.conversation_id AND ts = NEW.ts AND facet = 'thread';
  END IF;
  RETURN NULL;
END $$;
