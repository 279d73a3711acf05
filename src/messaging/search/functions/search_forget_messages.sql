CREATE OR REPLACE FUNCTION search_forget_messages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM message_search s USING gone g WHERE s.conversation_id = g.conversation_id AND s.ts = g.ts;
  DELETE FROM message_facets f USING gone g WHERE f.conversation_id = g.conversation_id AND f.ts = g.ts;
  RETURN NULL;
END $$;
