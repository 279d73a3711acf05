-- Tables of other rooms: reactions. Messages are found by them.
-- Reactions change under their message's lock, so that the last one of a name is known to be the last.
CREATE OR REPLACE FUNCTION search_follow_reaction() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO message_facets (conversation_id, ts, facet, workspace_id)
    SELECT s.conversation_id, s.ts, f, s.workspace_id
    FROM message_search s, unnest(ARRAY['reaction', ':' || NEW.name || ':']) f
    WHERE s.conversation_id = NEW.conversation_id AND s.ts = NEW.ts ON CONFLICT DO NOTHING;
  ELSE
    DELETE FROM message_facets f
    WHERE f.conversation_id = OLD.conversation_id AND f.ts = OLD.ts AND f.facet IN ('reaction', ':' || OLD.name || ':')
      AND NOT EXISTS (SELECT FROM reactions r WHERE r.conversation_id = OLD.conversation_id AND r.ts = OLD.ts
                      AND (f.facet = 'reaction' OR r.name = OLD.name));
  END IF;
  RETURN NULL;
END $$;
