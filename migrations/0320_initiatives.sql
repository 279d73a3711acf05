-- Initiatives: goals that projects and other initiatives work towards.
CREATE TABLE initiatives (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  name text NOT NULL,
  description text,
  content text,
  icon text,
  color text,
  slug_id text NOT NULL,
  status text NOT NULL DEFAULT 'Planned',
  owner_id uuid,
  creator_id uuid,
  priority integer NOT NULL DEFAULT 0,
  sort_order double precision NOT NULL DEFAULT 0,
  priority_sort_order double precision NOT NULL DEFAULT 0,
  target_date date,
  target_date_resolution text,
  started_at timestamptz(3),
  completed_at timestamptz(3),
  trashed boolean,
  archived_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX initiatives_page ON initiatives (organization_id, created_at, id);
CREATE UNIQUE INDEX initiatives_slug ON initiatives (organization_id, slug_id);

SELECT sandbox_track('initiatives', 'organization', ARRAY['id']);

-- The projects of an initiative: each once.
CREATE TABLE initiative_to_projects (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  initiative_id uuid NOT NULL REFERENCES initiatives (id) ON DELETE CASCADE,
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  sort_order double precision NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX initiative_to_projects_pair ON initiative_to_projects (initiative_id, project_id);
CREATE INDEX initiative_to_projects_page ON initiative_to_projects (organization_id, created_at, id);
CREATE INDEX initiative_to_projects_of_project ON initiative_to_projects (project_id, created_at, id);

SELECT sandbox_track('initiative_to_projects', 'organization', ARRAY['id']);

-- An initiative is below another: one above each.
CREATE TABLE initiative_relations (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  initiative_id uuid NOT NULL REFERENCES initiatives (id) ON DELETE CASCADE,
  related_initiative_id uuid NOT NULL REFERENCES initiatives (id) ON DELETE CASCADE,
  sort_order double precision NOT NULL DEFAULT 0,
  user_id uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CHECK (initiative_id <> related_initiative_id)
);
CREATE UNIQUE INDEX initiative_relations_of_related ON initiative_relations (related_initiative_id);
CREATE INDEX initiative_relations_page ON initiative_relations (organization_id, created_at, id);
CREATE INDEX initiative_relations_of_initiative ON initiative_relations (initiative_id);

SELECT sandbox_track('initiative_relations', 'organization', ARRAY['id']);

-- Status reports of initiatives.
CREATE TABLE initiative_updates (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  initiative_id uuid NOT NULL REFERENCES initiatives (id) ON DELETE CASCADE,
  user_id uuid NOT NULL,
  body text NOT NULL DEFAULT '',
  health text NOT NULL DEFAULT 'onTrack',
  slug_id text NOT NULL,
  is_diff_hidden boolean NOT NULL DEFAULT false,
  edited_at timestamptz(3),
  archived_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX initiative_updates_page ON initiative_updates (organization_id, created_at, id);
CREATE INDEX initiative_updates_of_initiative ON initiative_updates (initiative_id, created_at, id);

SELECT sandbox_track('initiative_updates', 'organization', ARRAY['id']);

-- What mutations changed of initiatives.
CREATE TABLE initiative_history (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  initiative_id uuid NOT NULL REFERENCES initiatives (id) ON DELETE CASCADE,
  entries jsonb NOT NULL DEFAULT '[]',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX initiative_history_page ON initiative_history (organization_id, created_at, id);
CREATE INDEX initiative_history_of_initiative ON initiative_history (initiative_id, created_at, id);

SELECT sandbox_track('initiative_history', 'organization', ARRAY['id']);

-- References to rows that a reset restores later are checked at its end.
ALTER TABLE comments ADD COLUMN initiative_id uuid REFERENCES initiatives (id) ON DELETE CASCADE DEFERRABLE;
ALTER TABLE comments ADD COLUMN initiative_update_id uuid REFERENCES initiative_updates (id) ON DELETE CASCADE DEFERRABLE;
ALTER TABLE comments DROP CONSTRAINT comments_check;
ALTER TABLE comments ADD CONSTRAINT comments_check
  CHECK (num_nonnulls(issue_id, project_id, project_update_id, initiative_id, initiative_update_id) = 1);
CREATE INDEX comments_of_initiative ON comments (initiative_id, created_at, id) WHERE initiative_id IS NOT NULL;
CREATE INDEX comments_of_initiative_update ON comments (initiative_update_id, created_at, id)
  WHERE initiative_update_id IS NOT NULL;

ALTER TABLE tracker_reactions ADD COLUMN initiative_update_id uuid REFERENCES initiative_updates (id) ON DELETE CASCADE DEFERRABLE;
ALTER TABLE tracker_reactions DROP CONSTRAINT tracker_reactions_check;
ALTER TABLE tracker_reactions ADD CONSTRAINT tracker_reactions_check
  CHECK (num_nonnulls(issue_id, comment_id, project_update_id, initiative_update_id) = 1);
CREATE INDEX tracker_reactions_of_initiative_update ON tracker_reactions (initiative_update_id, created_at, id)
  WHERE initiative_update_id IS NOT NULL;

ALTER TABLE entity_external_links ADD COLUMN initiative_id uuid REFERENCES initiatives (id) ON DELETE CASCADE DEFERRABLE;
ALTER TABLE entity_external_links DROP CONSTRAINT entity_external_links_check;
ALTER TABLE entity_external_links ADD CONSTRAINT entity_external_links_check
  CHECK (num_nonnulls(project_id, team_id, cycle_id, initiative_id) = 1);
CREATE INDEX entity_external_links_of_initiative ON entity_external_links (initiative_id, created_at, id)
  WHERE initiative_id IS NOT NULL;
