-- The planner knows how often a word occurs with all tenants together. Where others write often what this workspace
-- rarely does, it would rather read the whole workspace than ask the text index; so the look-up leaves it no choice:
-- only the text index knows the expression, and scans of another kind are out of the question.
DROP INDEX message_search_text;
CREATE INDEX message_search_text ON message_search USING gin ((workspace_id || ''), folded gin_trgm_ops)
  WITH (gin_pending_list_limit = 1024);

-- Rows that match all three patterns, at most so many; null = all. Planned anew for each call, with the values at hand:
-- a plan for any pattern does not use the patterns.
CREATE FUNCTION search_by_text(workspace text, pattern text, pattern2 text, pattern3 text, most integer)
  RETURNS SETOF message_search LANGUAGE plpgsql STABLE ROWS 1000
  SET enable_seqscan = off SET enable_indexscan = off AS $$
BEGIN
  RETURN QUERY EXECUTE 'SELECT * FROM message_search
    WHERE (workspace_id || '''') = $1 AND folded LIKE $2 AND folded LIKE $3 AND folded LIKE $4 LIMIT $5'
    USING workspace, pattern, pattern2, pattern3, most;
END $$;
ANALYZE message_search;
