-- Tables of other rooms: message_streams. An open one's text waits.
-- While a stream is open its text waits for the text index, where a search reads it as it stands; it is indexed once, when
-- the stream ends.
CREATE OR REPLACE FUNCTION search_follow_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT is_searchable(NEW.subtype) THEN
    DELETE FROM message_search WHERE conversation_id = NEW.conversation_id AND ts = NEW.ts;
    DELETE FROM message_facets WHERE conversation_id = NEW.conversation_id AND ts = NEW.ts;
  ELSIF EXISTS (SELECT FROM message_streams s WHERE s.conversation_id = NEW.conversation_id AND s.ts = NEW.ts AND s.state = 'open') THEN
    UPDATE message_search SET folded = '', waiting = lower(NEW.text) WHERE conversation_id = NEW.conversation_id AND ts = NEW.ts;
  ELSE
    UPDATE message_search SET folded = lower(NEW.text), waiting = NULL WHERE conversation_id = NEW.conversation_id AND ts = NEW.ts;
  END IF;
  RETURN NULL;
END $$;
