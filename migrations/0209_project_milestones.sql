-- Milestones of projects, which issues may belong to.
CREATE TABLE project_milestones (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  name text NOT NULL,
  description text,
  target_date date,
  sort_order double precision NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX project_milestones_page ON project_milestones (organization_id, created_at, id);
CREATE INDEX project_milestones_of_project ON project_milestones (project_id, created_at, id);

SELECT sandbox_track('project_milestones', 'organization', ARRAY['id']);

ALTER TABLE issues ADD COLUMN project_milestone_id uuid REFERENCES project_milestones (id) ON DELETE SET NULL;
CREATE INDEX issues_of_milestone ON issues (project_milestone_id, created_at, id) WHERE project_milestone_id IS NOT NULL;

-- Dependencies of projects: one for two projects in one direction.
CREATE TABLE project_relations (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  related_project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  type text NOT NULL,
  anchor_type text NOT NULL,
  related_anchor_type text NOT NULL,
  project_milestone_id uuid REFERENCES project_milestones (id) ON DELETE SET NULL,
  related_project_milestone_id uuid REFERENCES project_milestones (id) ON DELETE SET NULL,
  user_id uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CHECK (project_id <> related_project_id)
);
CREATE UNIQUE INDEX project_relations_pair ON project_relations (project_id, related_project_id);
CREATE INDEX project_relations_page ON project_relations (organization_id, created_at, id);
CREATE INDEX project_relations_of_project ON project_relations (project_id, created_at, id);
CREATE INDEX project_relations_of_related ON project_relations (related_project_id, created_at, id);
CREATE INDEX project_relations_of_milestone ON project_relations (project_milestone_id) WHERE project_milestone_id IS NOT NULL;
CREATE INDEX project_relations_of_related_milestone ON project_relations (related_project_milestone_id) WHERE related_project_milestone_id IS NOT NULL;

SELECT sandbox_track('project_relations', 'organization', ARRAY['id']);

-- Status reports of projects.
CREATE TABLE project_updates (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
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
CREATE INDEX project_updates_page ON project_updates (organization_id, created_at, id);
CREATE INDEX project_updates_of_project ON project_updates (project_id, created_at, id);

SELECT sandbox_track('project_updates', 'organization', ARRAY['id']);

ALTER TABLE comments ADD COLUMN project_update_id uuid REFERENCES project_updates (id) ON DELETE CASCADE;
ALTER TABLE comments DROP CONSTRAINT comments_check;
ALTER TABLE comments ADD CONSTRAINT comments_check CHECK (num_nonnulls(issue_id, project_id, project_update_id) = 1);
CREATE INDEX comments_of_project_update ON comments (project_update_id, created_at, id) WHERE project_update_id IS NOT NULL;

ALTER TABLE tracker_reactions ADD COLUMN project_update_id uuid REFERENCES project_updates (id) ON DELETE CASCADE;
ALTER TABLE tracker_reactions DROP CONSTRAINT tracker_reactions_check;
ALTER TABLE tracker_reactions
  ADD CONSTRAINT tracker_reactions_check CHECK (num_nonnulls(issue_id, comment_id, project_update_id) = 1);
CREATE INDEX tracker_reactions_of_project_update ON tracker_reactions (project_update_id, created_at, id)
  WHERE project_update_id IS NOT NULL;

-- Links of projects, teams and cycles to things elsewhere.
CREATE TABLE entity_external_links (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  project_id uuid REFERENCES projects (id) ON DELETE CASCADE,
  team_id uuid REFERENCES teams (id) ON DELETE CASCADE,
  cycle_id uuid REFERENCES cycles (id) ON DELETE CASCADE,
  label text NOT NULL,
  url text NOT NULL,
  sort_order double precision NOT NULL DEFAULT 0,
  creator_id uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CHECK (num_nonnulls(project_id, team_id, cycle_id) = 1)
);
CREATE INDEX entity_external_links_page ON entity_external_links (organization_id, created_at, id);
CREATE INDEX entity_external_links_of_project ON entity_external_links (project_id, created_at, id) WHERE project_id IS NOT NULL;
CREATE INDEX entity_external_links_of_team ON entity_external_links (team_id) WHERE team_id IS NOT NULL;
CREATE INDEX entity_external_links_of_cycle ON entity_external_links (cycle_id) WHERE cycle_id IS NOT NULL;

SELECT sandbox_track('entity_external_links', 'organization', ARRAY['id']);
