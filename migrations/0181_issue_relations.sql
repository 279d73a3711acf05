-- Relations of issues: one for two issues, in one direction or the other.
CREATE TABLE issue_relations (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  issue_id uuid NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
  related_issue_id uuid NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
  type text NOT NULL,
  -- the state that a duplicate left
  left_state_id uuid REFERENCES workflow_states (id) ON DELETE SET NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CHECK (issue_id <> related_issue_id)
);
CREATE UNIQUE INDEX issue_relations_pair
  ON issue_relations (least(issue_id, related_issue_id), greatest(issue_id, related_issue_id));
CREATE INDEX issue_relations_page ON issue_relations (organization_id, created_at, id);
CREATE INDEX issue_relations_of_issue ON issue_relations (issue_id, created_at, id);
CREATE INDEX issue_relations_of_related ON issue_relations (related_issue_id, created_at, id);
CREATE INDEX issue_relations_of_left_state ON issue_relations (left_state_id) WHERE left_state_id IS NOT NULL;

SELECT sandbox_track('issue_relations', 'organization', ARRAY['id']);
