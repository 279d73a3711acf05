-- Labels that are no longer to be added: who retired them.
ALTER TABLE issue_labels ADD COLUMN retired_by_id uuid;

-- Labels of projects, as those of issues.
CREATE TABLE project_labels (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  -- null: a label of the whole workspace
  team_id uuid REFERENCES teams (id) ON DELETE CASCADE,
  name text NOT NULL,
  color text NOT NULL,
  description text,
  is_group boolean NOT NULL DEFAULT false,
  parent_id uuid REFERENCES project_labels (id) ON DELETE SET NULL DEFERRABLE,
  creator_id uuid,
  last_applied_at timestamptz(3),
  retired_by_id uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX project_labels_workspace_name ON project_labels (organization_id, lower(name)) WHERE team_id IS NULL;
CREATE UNIQUE INDEX project_labels_team_name ON project_labels (team_id, lower(name)) WHERE team_id IS NOT NULL;
CREATE INDEX project_labels_page ON project_labels (organization_id, created_at, id);
CREATE INDEX project_labels_of_team ON project_labels (team_id, created_at, id) WHERE team_id IS NOT NULL;
CREATE INDEX project_labels_of_parent ON project_labels (parent_id, created_at, id) WHERE parent_id IS NOT NULL;

SELECT sandbox_track('project_labels', 'organization', ARRAY['id']);

ALTER TABLE projects ADD COLUMN label_ids uuid[] NOT NULL DEFAULT '{}';
CREATE INDEX projects_of_label ON projects USING gin (label_ids);
