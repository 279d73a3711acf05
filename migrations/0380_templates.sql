-- Templates of issues, projects and documents: of a team, or of the whole organization.
CREATE TABLE templates (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  team_id uuid REFERENCES teams (id) ON DELETE CASCADE,
  name text NOT NULL,
  type text NOT NULL,
  description text,
  icon text,
  color text,
  template_data jsonb NOT NULL,
  sort_order double precision NOT NULL DEFAULT 0,
  creator_id uuid,
  last_updated_by_id uuid,
  last_applied_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX templates_page ON templates (organization_id, sort_order, id);
CREATE INDEX templates_of_team ON templates (team_id) WHERE team_id IS NOT NULL;

SELECT sandbox_track('templates', 'organization', ARRAY['id']);

-- References to rows that a reset restores later are checked at its end.
ALTER TABLE teams ADD COLUMN default_template_for_members_id uuid REFERENCES templates (id) ON DELETE SET NULL DEFERRABLE;
ALTER TABLE teams ADD COLUMN default_template_for_non_members_id uuid REFERENCES templates (id) ON DELETE SET NULL DEFERRABLE;
ALTER TABLE teams ADD COLUMN default_project_template_id uuid REFERENCES templates (id) ON DELETE SET NULL DEFERRABLE;
CREATE INDEX teams_of_members_template ON teams (default_template_for_members_id)
  WHERE default_template_for_members_id IS NOT NULL;
CREATE INDEX teams_of_non_members_template ON teams (default_template_for_non_members_id)
  WHERE default_template_for_non_members_id IS NOT NULL;
CREATE INDEX teams_of_project_template ON teams (default_project_template_id)
  WHERE default_project_template_id IS NOT NULL;

-- The template that each was made from.
ALTER TABLE issues ADD COLUMN last_applied_template_id uuid REFERENCES templates (id) ON DELETE SET NULL DEFERRABLE;
CREATE INDEX issues_of_template ON issues (last_applied_template_id, created_at, id)
  WHERE last_applied_template_id IS NOT NULL;
ALTER TABLE projects ADD COLUMN last_applied_template_id uuid REFERENCES templates (id) ON DELETE SET NULL DEFERRABLE;
CREATE INDEX projects_of_template ON projects (last_applied_template_id, created_at, id)
  WHERE last_applied_template_id IS NOT NULL;
ALTER TABLE documents ADD COLUMN last_applied_template_id uuid REFERENCES templates (id) ON DELETE SET NULL DEFERRABLE;
CREATE INDEX documents_of_template ON documents (last_applied_template_id) WHERE last_applied_template_id IS NOT NULL;
