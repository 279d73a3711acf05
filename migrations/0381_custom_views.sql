-- Filters with a name: of issues, or of projects.
CREATE TABLE custom_views (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  team_id uuid REFERENCES teams (id) ON DELETE CASCADE,
  -- the pages that they stand on
  project_id uuid REFERENCES projects (id) ON DELETE CASCADE,
  initiative_id uuid REFERENCES initiatives (id) ON DELETE CASCADE,
  name text NOT NULL,
  description text,
  icon text,
  color text,
  slug_id text NOT NULL,
  -- false: its owner's alone
  shared boolean NOT NULL DEFAULT false,
  model_name text NOT NULL,
  filter_data jsonb NOT NULL DEFAULT '{}',
  project_filter_data jsonb,
  owner_id uuid NOT NULL,
  creator_id uuid NOT NULL,
  updated_by_id uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX custom_views_page ON custom_views (organization_id, created_at, id);
CREATE UNIQUE INDEX custom_views_slug ON custom_views (organization_id, slug_id);
CREATE INDEX custom_views_of_team ON custom_views (team_id) WHERE team_id IS NOT NULL;
CREATE INDEX custom_views_of_project ON custom_views (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX custom_views_of_initiative ON custom_views (initiative_id) WHERE initiative_id IS NOT NULL;

SELECT sandbox_track('custom_views', 'organization', ARRAY['id']);
