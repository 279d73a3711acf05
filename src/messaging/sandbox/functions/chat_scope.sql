-- As `chat_join`, the other way: a condition on rows `r` of the tenant in parameter 1.
CREATE OR REPLACE FUNCTION chat_scope(owner text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE owner
    WHEN 'workspace' THEN 'r.workspace_id = (SELECT id FROM workspaces WHERE tenant_id = $1)'
    WHEN 'conversation' THEN 'r.conversation_id IN (SELECT c.id FROM conversations c JOIN workspaces w ON w.id = c.workspace_id WHERE w.tenant_id = $1)'
  END
$$;
