-- Attachments of issues: links to things elsewhere, one for each url of an issue.
CREATE TABLE attachments (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  issue_id uuid NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
  creator_id uuid,
  title text NOT NULL,
  subtitle text,
  url text NOT NULL,
  source_type text DEFAULT 'unknown',
  source jsonb,
  metadata jsonb NOT NULL DEFAULT '{}',
  group_by_source boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX attachments_page ON attachments (organization_id, created_at, id);
CREATE INDEX attachments_of_issue ON attachments (issue_id, created_at, id);

SELECT sandbox_track('attachments', 'organization', ARRAY['id']);
