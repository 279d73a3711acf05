-- Messages of a workspace whose text holds all three patterns, by the text index; and those whose text waits for it, each with
-- that text in `folded`.
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
