-- What people keep at hand: things of theirs, and folders for such.
CREATE TABLE favorites (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  owner_id uuid NOT NULL REFERENCES tracker_users (id) ON DELETE CASCADE,
  parent_id uuid REFERENCES favorites (id) ON DELETE CASCADE DEFERRABLE,
  folder_name text,
  sort_order double precision NOT NULL DEFAULT 0,
  issue_id uuid REFERENCES issues (id) ON DELETE CASCADE,
  project_id uuid REFERENCES projects (id) ON DELETE CASCADE,
  cycle_id uuid REFERENCES cycles (id) ON DELETE CASCADE,
  custom_view_id uuid REFERENCES custom_views (id) ON DELETE CASCADE,
  document_id uuid REFERENCES documents (id) ON DELETE CASCADE,
  label_id uuid REFERENCES issue_labels (id) ON DELETE CASCADE,
  project_label_id uuid REFERENCES project_labels (id) ON DELETE CASCADE,
  user_id uuid REFERENCES tracker_users (id) ON DELETE CASCADE,
  customer_id uuid REFERENCES customers (id) ON DELETE CASCADE,
  initiative_id uuid REFERENCES initiatives (id) ON DELETE CASCADE,
  team_id uuid REFERENCES teams (id) ON DELETE CASCADE,
  predefined_view_type text,
  predefined_view_team_id uuid REFERENCES teams (id) ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT favorites_check CHECK (num_nonnulls(folder_name, predefined_view_type, issue_id, project_id, cycle_id, custom_view_id, document_id, label_id, project_label_id, user_id, customer_id, initiative_id, team_id) = 1)
);
CREATE INDEX favorites_page ON favorites (organization_id, owner_id, sort_order, id);
CREATE INDEX favorites_of_parent ON favorites (parent_id) WHERE parent_id IS NOT NULL;
CREATE UNIQUE INDEX favorites_of_issue ON favorites (issue_id, owner_id) WHERE issue_id IS NOT NULL;
CREATE UNIQUE INDEX favorites_of_project ON favorites (project_id, owner_id) WHERE project_id IS NOT NULL;
CREATE UNIQUE INDEX favorites_of_cycle ON favorites (cycle_id, owner_id) WHERE cycle_id IS NOT NULL;
CREATE UNIQUE INDEX favorites_of_custom_view ON favorites (custom_view_id, owner_id) WHERE custom_view_id IS NOT NULL;
CREATE UNIQUE INDEX favorites_of_document ON favorites (document_id, owner_id) WHERE document_id IS NOT NULL;
CREATE UNIQUE INDEX favorites_of_label ON favorites (label_id, owner_id) WHERE label_id IS NOT NULL;
CREATE UNIQUE INDEX favorites_of_project_label ON favorites (project_label_id, owner_id) WHERE project_label_id IS NOT NULL;
CREATE UNIQUE INDEX favorites_of_user ON favorites (user_id, owner_id) WHERE user_id IS NOT NULL;
CREATE UNIQUE INDEX favorites_of_customer ON favorites (customer_id, owner_id) WHERE customer_id IS NOT NULL;
CREATE UNIQUE INDEX favorites_of_initiative ON favorites (initiative_id, owner_id) WHERE initiative_id IS NOT NULL;
CREATE UNIQUE INDEX favorites_of_team ON favorites (team_id, owner_id) WHERE team_id IS NOT NULL;

SELECT sandbox_track('favorites', 'organization', ARRAY['id']);
