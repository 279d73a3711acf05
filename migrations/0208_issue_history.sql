-- What mutations changed of issues: one row for an issue and a mutation, with the changed fields alone.
CREATE TABLE issue_history (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  issue_id uuid NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
  actor_id uuid,
  changes jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX issue_history_page ON issue_history (organization_id, created_at, id);
CREATE INDEX issue_history_of_issue ON issue_history (issue_id, created_at, id);

SELECT sandbox_track('issue_history', 'organization', ARRAY['id']);

-- What people say by an emoji, of an issue or a comment: each emoji once.
CREATE TABLE tracker_reactions (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  issue_id uuid REFERENCES issues (id) ON DELETE CASCADE,
  comment_id uuid REFERENCES comments (id) ON DELETE CASCADE,
  user_id uuid,
  emoji text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CHECK (num_nonnulls(issue_id, comment_id) = 1)
);
CREATE INDEX tracker_reactions_page ON tracker_reactions (organization_id, created_at, id);
CREATE INDEX tracker_reactions_of_issue ON tracker_reactions (issue_id, created_at, id) WHERE issue_id IS NOT NULL;
CREATE INDEX tracker_reactions_of_comment ON tracker_reactions (comment_id, created_at, id) WHERE comment_id IS NOT NULL;

SELECT sandbox_track('tracker_reactions', 'organization', ARRAY['id']);
