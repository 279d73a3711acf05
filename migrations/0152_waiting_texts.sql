-- Texts that come by the thousand (documents, copies of sandboxes) wait for the text index: its keys are most of what a
-- message costs, and a sandbox is often gone before anybody searches it (docs/decisions/search-index.md). A row that waits
-- has its text in `waiting` and none in `folded`; a search reads both.
ALTER TABLE message_search ADD COLUMN waiting text;
CREATE INDEX message_search_waiting ON message_search (workspace_id) WHERE waiting IS NOT NULL;

CREATE OR REPLACE FUNCTION search_follow_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF is_searchable(NEW.subtype) THEN
    UPDATE message_search SET folded = lower(NEW.text), waiting = NULL WHERE conversation_id = NEW.conversation_id AND ts = NEW.ts;
  ELSE
    DELETE FROM message_search WHERE conversation_id = NEW.conversation_id AND ts = NEW.ts;
    DELETE FROM message_facets WHERE conversation_id = NEW.conversation_id AND ts = NEW.ts;
  END IF;
  RETURN NULL;
END $$;

-- As before, and those that wait, each with its text in `folded`.
CREATE OR REPLACE FUNCTION search_by_text(workspace text, pattern text, pattern2 text, pattern3 text, most integer)
  RETURNS SETOF message_search LANGUAGE plpgsql STABLE ROWS 1000
  SET enable_seqscan = off SET enable_indexscan = off AS $$
BEGIN
  RETURN QUERY EXECUTE 'SELECT * FROM message_search
    WHERE (workspace_id || '''') = $1 AND folded LIKE $2 AND folded LIKE $3 AND folded LIKE $4
    UNION ALL
    SELECT conversation_id, ts, workspace_id, author, waiting, NULL FROM message_search
    WHERE waiting IS NOT NULL AND workspace_id = $1 AND waiting LIKE $2 AND waiting LIKE $3 AND waiting LIKE $4 LIMIT $5'
    USING workspace, pattern, pattern2, pattern3, most;
END $$;
