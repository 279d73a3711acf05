-- Tables of other rooms: issues, projects. Rows hang on them that say nothing of their organization.
-- Joins that lead from a row `r` of the tracker to its sandbox `s`; null: its owner is none of the tracker's.
CREATE OR REPLACE FUNCTION tracker_join(owner text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE owner
    WHEN 'organization' THEN 'JOIN organizations o ON o.id = r.organization_id JOIN sandboxes s ON s.tenant_id = o.tenant_id'
    WHEN 'issue' THEN 'JOIN issues i ON i.id = r.issue_id JOIN organizations o ON o.id = i.organization_id JOIN sandboxes s ON s.tenant_id = o.tenant_id'
    WHEN 'project' THEN 'JOIN projects p ON p.id = r.project_id JOIN organizations o ON o.id = p.organization_id JOIN sandboxes s ON s.tenant_id = o.tenant_id'
  END
$$;
