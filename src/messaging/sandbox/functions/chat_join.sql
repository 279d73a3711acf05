-- Joins that lead from a row `r` of the chat to its sandbox `s`; null: its owner is none of the chat's.
CREATE OR REPLACE FUNCTION chat_join(owner text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE owner
    WHEN 'workspace' THEN 'JOIN workspaces w ON w.id = r.workspace_id JOIN sandboxes s ON s.tenant_id = w.tenant_id'
    WHEN 'conversation' THEN 'JOIN conversations c ON c.id = r.conversation_id JOIN workspaces w ON w.id = c.workspace_id JOIN sandboxes s ON s.tenant_id = w.tenant_id'
  END
$$;
