-- Tables of other rooms: reactions. Messages are found by them.
-- Writes the rows of so many ranges of a workspace; answers how many ranges these were. Each message is held until the end:
-- what changes it waits, and then finds the rows that it has to follow.
CREATE OR REPLACE FUNCTION search_catch_up(of_workspace text, most integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  ids text[];
  firsts bigint[];
  lasts bigint[];
BEGIN
  WITH chosen AS MATERIALIZED (
    SELECT b.conversation_id, b.first_ts FROM search_backlog b WHERE b.workspace_id = of_workspace
    ORDER BY b.conversation_id, b.first_ts LIMIT most FOR UPDATE),
  taken AS (
    DELETE FROM search_backlog b USING chosen c
    WHERE b.workspace_id = of_workspace AND b.conversation_id = c.conversation_id AND b.first_ts = c.first_ts
    RETURNING b.conversation_id, b.first_ts, b.last_ts)
  SELECT array_agg(conversation_id), array_agg(first_ts), array_agg(last_ts) INTO ids, firsts, lasts FROM taken;
  IF ids IS NULL THEN RETURN 0; END IF;

  PERFORM FROM unnest(ids, firsts, lasts) r (id, first, last)
    JOIN messages m ON m.conversation_id = r.id AND m.ts BETWEEN r.first AND r.last FOR SHARE OF m;
  INSERT INTO message_search (conversation_id, ts, workspace_id, author, folded, waiting)
  SELECT m.conversation_id, m.ts, of_workspace, coalesce(m.user_id, m.bot_id, ''), '', lower(m.text)
  FROM unnest(ids, firsts, lasts) r (id, first, last)
  JOIN messages m ON m.conversation_id = r.id AND m.ts BETWEEN r.first AND r.last
  WHERE is_searchable(m.subtype) ON CONFLICT DO NOTHING;
  INSERT INTO message_facets (conversation_id, ts, facet, workspace_id)
  SELECT m.conversation_id, m.ts, f.facet, of_workspace
  FROM unnest(ids, firsts, lasts) r (id, first, last)
  JOIN messages m ON m.conversation_id = r.id AND m.ts BETWEEN r.first AND r.last
  JOIN LATERAL (
    SELECT 'thread' AS facet WHERE m.thread_ts IS NOT NULL OR m.reply_count > 0
    UNION SELECT 'reaction' FROM reactions x WHERE x.conversation_id = m.conversation_id AND x.ts = m.ts
    UNION SELECT ':' || x.name || ':' FROM reactions x WHERE x.conversation_id = m.conversation_id AND x.ts = m.ts) f ON true
  WHERE is_searchable(m.subtype) ON CONFLICT DO NOTHING;
  RETURN cardinality(ids);
END $$;
