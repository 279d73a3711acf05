-- Tables of other rooms: reactions. Messages are found by them.
-- Messages that a reset has put back are found again.
CREATE OR REPLACE FUNCTION search_put_back(tenant bigint, since integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO message_search (conversation_id, ts, workspace_id, author, folded)
  SELECT m.conversation_id, m.ts, c.workspace_id, coalesce(m.user_id, m.bot_id, ''), lower(m.text)
  FROM sandbox_images(tenant, 'messages', since) i
  JOIN messages m ON m.conversation_id = i.key::jsonb ->> 'conversation_id' AND m.ts = (i.key::jsonb ->> 'ts')::bigint
  JOIN conversations c ON c.id = m.conversation_id WHERE is_searchable(m.subtype)
  ON CONFLICT DO NOTHING;
  INSERT INTO message_facets (conversation_id, ts, facet, workspace_id)
  SELECT s.conversation_id, s.ts, f.facet, s.workspace_id
  FROM sandbox_images(tenant, 'messages', since) i
  JOIN message_search s ON s.conversation_id = i.key::jsonb ->> 'conversation_id' AND s.ts = (i.key::jsonb ->> 'ts')::bigint
  JOIN LATERAL (
    SELECT 'thread' AS facet FROM messages m
    WHERE m.conversation_id = s.conversation_id AND m.ts = s.ts AND (m.thread_ts IS NOT NULL OR m.reply_count > 0)
    UNION SELECT 'reaction' FROM reactions r WHERE r.conversation_id = s.conversation_id AND r.ts = s.ts
    UNION SELECT ':' || r.name || ':' FROM reactions r WHERE r.conversation_id = s.conversation_id AND r.ts = s.ts) f ON true
  ON CONFLICT DO NOTHING;
END $$;
