-- Integrations and people of other services: what seed documents say of them.
CREATE TABLE tracker_integrations (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  team_id uuid REFERENCES teams (id) ON DELETE CASCADE,
  service text NOT NULL,
  creator_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX tracker_integrations_page ON tracker_integrations (organization_id, created_at, id);
CREATE INDEX tracker_integrations_of_team ON tracker_integrations (team_id) WHERE team_id IS NOT NULL;

SELECT sandbox_track('tracker_integrations', 'organization', ARRAY['id']);

CREATE TABLE external_users (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name text NOT NULL,
  display_name text NOT NULL,
  email text,
  avatar_url text,
  last_seen timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX external_users_page ON external_users (organization_id, created_at, id);

SELECT sandbox_track('external_users', 'organization', ARRAY['id']);

-- Links of projects, which seed documents alone bring.
CREATE TABLE project_attachments (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  title text NOT NULL,
  subtitle text,
  url text NOT NULL,
  source_type text,
  source jsonb,
  metadata jsonb NOT NULL DEFAULT '{}',
  creator_id uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX project_attachments_page ON project_attachments (organization_id, created_at, id);
CREATE INDEX project_attachments_of_project ON project_attachments (project_id, created_at, id);

SELECT sandbox_track('project_attachments', 'organization', ARRAY['id']);

-- What mutations changed of projects.
CREATE TABLE project_history (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  entries jsonb NOT NULL DEFAULT '[]',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX project_history_page ON project_history (organization_id, created_at, id);
CREATE INDEX project_history_of_project ON project_history (project_id, created_at, id);

SELECT sandbox_track('project_history', 'organization', ARRAY['id']);
