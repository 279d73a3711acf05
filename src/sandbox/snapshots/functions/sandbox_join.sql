-- Joins that lead from a row `r` to its sandbox `s`.
CREATE OR REPLACE FUNCTION sandbox_join(owner text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE owner
    WHEN 'tenant' THEN 'JOIN sandboxes s ON s.tenant_id = r.tenant_id'
    WHEN 'workspace' THEN 'JOIN workspaces w ON w.id = r.workspace_id JOIN sandboxes s ON s.tenant_id = w.tenant_id'
    WHEN 'conversation' THEN 'JOIN conversations c ON c.id = r.conversation_id JOIN workspaces w ON w.id = c.workspace_id JOIN sandboxes s ON s.tenant_id = w.tenant_id'
    WHEN 'organization' THEN 'JOIN organizations o ON o.id = r.organization_id JOIN sandboxes s ON s.tenant_id = o.tenant_id'
    WHEN 'issue' THEN 'JOIN issues i ON i.id = r.issue_id JOIN organizations o ON o.id = i.organization_id JOIN sandboxes s ON s.tenant_id = o.tenant_id'
    WHEN 'project' THEN 'JOIN projects p ON p.id = r.project_id JOIN organizations o ON o.id = p.organization_id JOIN sandboxes s ON s.tenant_id = o.tenant_id'
  END
$$;
