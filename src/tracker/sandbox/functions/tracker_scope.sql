-- Tables of other rooms: issues, projects. Rows hang on them that say nothing of their organization.
-- As `tracker_join`, the other way: a condition on rows `r` of the tenant in parameter 1.
CREATE OR REPLACE FUNCTION tracker_scope(owner text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE owner
    WHEN 'organization' THEN 'r.organization_id = (SELECT id FROM organizations WHERE tenant_id = $1)'
    WHEN 'issue' THEN 'r.issue_id IN (SELECT i.id FROM issues i JOIN organizations o ON o.id = i.organization_id WHERE o.tenant_id = $1)'
    WHEN 'project' THEN 'r.project_id IN (SELECT p.id FROM projects p JOIN organizations o ON o.id = p.organization_id WHERE o.tenant_id = $1)'
  END
$$;
