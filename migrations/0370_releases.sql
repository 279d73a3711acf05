-- Releases: what goes out together, through the stages of a pipeline.
CREATE TABLE release_pipelines (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name text NOT NULL,
  slug_id text NOT NULL,
  type text NOT NULL DEFAULT 'scheduled',
  is_production boolean NOT NULL DEFAULT false,
  auto_generate_release_notes_on_completion boolean NOT NULL DEFAULT false,
  rollover_issues_on_completion boolean NOT NULL DEFAULT false,
  include_path_patterns text[] NOT NULL DEFAULT '{}',
  trashed boolean,
  archived_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT release_pipelines_type_check CHECK (type IN ('scheduled', 'continuous'))
);
CREATE INDEX release_pipelines_page ON release_pipelines (organization_id, created_at, id);
CREATE UNIQUE INDEX release_pipelines_slug ON release_pipelines (organization_id, slug_id);

SELECT sandbox_track('release_pipelines', 'organization', ARRAY['id']);

-- The teams of a pipeline: each once.
CREATE TABLE release_pipeline_teams (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  pipeline_id uuid NOT NULL REFERENCES release_pipelines (id) ON DELETE CASCADE,
  team_id uuid NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX release_pipeline_teams_pair ON release_pipeline_teams (pipeline_id, team_id);
CREATE INDEX release_pipeline_teams_page ON release_pipeline_teams (organization_id, created_at, id);
CREATE INDEX release_pipeline_teams_of_team ON release_pipeline_teams (team_id);

SELECT sandbox_track('release_pipeline_teams', 'organization', ARRAY['id']);

CREATE TABLE release_stages (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  pipeline_id uuid NOT NULL REFERENCES release_pipelines (id) ON DELETE CASCADE,
  name text NOT NULL,
  color text NOT NULL,
  type text NOT NULL,
  position double precision NOT NULL,
  frozen boolean NOT NULL DEFAULT false,
  archived_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT release_stages_type_check CHECK (type IN ('planned', 'started', 'completed', 'canceled'))
);
CREATE INDEX release_stages_page ON release_stages (organization_id, created_at, id);
CREATE INDEX release_stages_of_pipeline ON release_stages (pipeline_id, position);
-- A pipeline has several stages of the type started alone.
CREATE UNIQUE INDEX release_stages_type ON release_stages (pipeline_id, type) WHERE type <> 'started';

SELECT sandbox_track('release_stages', 'organization', ARRAY['id']);

CREATE TABLE releases (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  pipeline_id uuid NOT NULL REFERENCES release_pipelines (id) ON DELETE CASCADE,
  stage_id uuid NOT NULL REFERENCES release_stages (id) ON DELETE CASCADE,
  name text NOT NULL,
  description text,
  version text,
  commit_sha text,
  slug_id text NOT NULL,
  creator_id uuid,
  start_date date,
  target_date date,
  started_at timestamptz(3),
  completed_at timestamptz(3),
  canceled_at timestamptz(3),
  trashed boolean,
  archived_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX releases_page ON releases (organization_id, created_at, id);
CREATE UNIQUE INDEX releases_slug ON releases (organization_id, slug_id);
CREATE INDEX releases_of_pipeline ON releases (pipeline_id, created_at, id);
CREATE INDEX releases_of_stage ON releases (stage_id, created_at, id);
-- A version of the trash may be made anew.
CREATE UNIQUE INDEX releases_version ON releases (pipeline_id, version) WHERE version IS NOT NULL AND trashed IS NOT TRUE;
CREATE INDEX releases_of_commit ON releases (pipeline_id, commit_sha) WHERE commit_sha IS NOT NULL;

SELECT sandbox_track('releases', 'organization', ARRAY['id']);

-- The issues of a release: each once.
CREATE TABLE issue_to_releases (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  issue_id uuid NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
  release_id uuid NOT NULL REFERENCES releases (id) ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX issue_to_releases_pair ON issue_to_releases (issue_id, release_id);
CREATE INDEX issue_to_releases_page ON issue_to_releases (organization_id, created_at, id);
CREATE INDEX issue_to_releases_of_release ON issue_to_releases (release_id, created_at, id);

SELECT sandbox_track('issue_to_releases', 'organization', ARRAY['id']);

-- What mutations changed of releases.
CREATE TABLE release_history (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  release_id uuid NOT NULL REFERENCES releases (id) ON DELETE CASCADE,
  entries jsonb NOT NULL DEFAULT '[]',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX release_history_page ON release_history (organization_id, created_at, id);
CREATE INDEX release_history_of_release ON release_history (release_id, created_at, id);

SELECT sandbox_track('release_history', 'organization', ARRAY['id']);

CREATE TABLE release_notes (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  pipeline_id uuid NOT NULL REFERENCES release_pipelines (id) ON DELETE CASCADE,
  title text,
  content text,
  slug_id text NOT NULL,
  creator_id uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX release_notes_page ON release_notes (organization_id, created_at, id);
CREATE UNIQUE INDEX release_notes_slug ON release_notes (organization_id, slug_id);
CREATE INDEX release_notes_of_pipeline ON release_notes (pipeline_id, created_at, id);

SELECT sandbox_track('release_notes', 'organization', ARRAY['id']);

-- The releases that a note is of: each once.
CREATE TABLE release_note_releases (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  note_id uuid NOT NULL REFERENCES release_notes (id) ON DELETE CASCADE,
  release_id uuid NOT NULL REFERENCES releases (id) ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX release_note_releases_pair ON release_note_releases (note_id, release_id);
CREATE INDEX release_note_releases_page ON release_note_releases (organization_id, created_at, id);
CREATE INDEX release_note_releases_of_release ON release_note_releases (release_id);

SELECT sandbox_track('release_note_releases', 'organization', ARRAY['id']);

-- References to rows that a reset restores later are checked at its end.
ALTER TABLE documents ADD COLUMN release_id uuid REFERENCES releases (id) ON DELETE CASCADE DEFERRABLE;
ALTER TABLE documents DROP CONSTRAINT documents_check;
ALTER TABLE documents ADD CONSTRAINT documents_check
  CHECK (num_nonnulls(project_id, initiative_id, issue_id, team_id, cycle_id, release_id) = 1);
CREATE INDEX documents_of_release ON documents (release_id, created_at, id) WHERE release_id IS NOT NULL;

ALTER TABLE entity_external_links ADD COLUMN release_id uuid REFERENCES releases (id) ON DELETE CASCADE DEFERRABLE;
ALTER TABLE entity_external_links DROP CONSTRAINT entity_external_links_check;
ALTER TABLE entity_external_links ADD CONSTRAINT entity_external_links_check
  CHECK (num_nonnulls(project_id, team_id, cycle_id, initiative_id, release_id) = 1);
CREATE INDEX entity_external_links_of_release ON entity_external_links (release_id, created_at, id)
  WHERE release_id IS NOT NULL;
