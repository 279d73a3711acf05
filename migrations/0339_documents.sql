-- Documents of projects, initiatives, issues, teams and cycles.
CREATE TABLE documents (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  project_id uuid REFERENCES projects (id) ON DELETE CASCADE,
  initiative_id uuid REFERENCES initiatives (id) ON DELETE CASCADE,
  issue_id uuid REFERENCES issues (id) ON DELETE CASCADE,
  team_id uuid REFERENCES teams (id) ON DELETE CASCADE,
  cycle_id uuid REFERENCES cycles (id) ON DELETE CASCADE,
  title text NOT NULL,
  content text,
  icon text,
  color text,
  slug_id text NOT NULL,
  owner_id uuid,
  creator_id uuid,
  updated_by_id uuid,
  sort_order double precision NOT NULL DEFAULT 0,
  hidden_at timestamptz(3),
  trashed boolean,
  archived_at timestamptz(3),
  subscriber_ids uuid[] NOT NULL DEFAULT '{}',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT documents_check CHECK (num_nonnulls(project_id, initiative_id, issue_id, team_id, cycle_id) = 1)
);
CREATE UNIQUE INDEX documents_slug ON documents (organization_id, slug_id);
CREATE INDEX documents_page ON documents (organization_id, created_at, id);
CREATE INDEX documents_of_project ON documents (project_id, created_at, id) WHERE project_id IS NOT NULL;
CREATE INDEX documents_of_initiative ON documents (initiative_id, created_at, id) WHERE initiative_id IS NOT NULL;
CREATE INDEX documents_of_issue ON documents (issue_id, created_at, id) WHERE issue_id IS NOT NULL;
CREATE INDEX documents_of_team ON documents (team_id) WHERE team_id IS NOT NULL;
CREATE INDEX documents_of_cycle ON documents (cycle_id) WHERE cycle_id IS NOT NULL;

SELECT sandbox_track('documents', 'organization', ARRAY['id']);

-- References to rows that a reset restores later are checked at its end.
ALTER TABLE comments ADD COLUMN document_content_id uuid REFERENCES documents (id) ON DELETE CASCADE DEFERRABLE;
ALTER TABLE comments DROP CONSTRAINT comments_check;
ALTER TABLE comments ADD CONSTRAINT comments_check
  CHECK (num_nonnulls(issue_id, project_id, document_content_id, project_update_id, initiative_id, initiative_update_id) = 1);
CREATE INDEX comments_of_document ON comments (document_content_id, created_at, id) WHERE document_content_id IS NOT NULL;
