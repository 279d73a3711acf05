-- Comments that no user wrote: the first of the thread of an agent's session.
ALTER TABLE comments ALTER COLUMN user_id DROP NOT NULL;

-- How agents are to work, in an organization and in a team.
ALTER TABLE organizations ADD COLUMN agent_guidance text;
ALTER TABLE teams ADD COLUMN agent_guidance text;

-- What an application does as an agent in an issue.
CREATE TABLE tracker_agent_sessions (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  app_user_id uuid NOT NULL,
  issue_id uuid NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
  comment_id uuid REFERENCES comments (id) ON DELETE SET NULL,
  source_comment_id uuid REFERENCES comments (id) ON DELETE SET NULL,
  creator_id uuid,
  -- begun by delegating the issue
  is_delegated boolean NOT NULL DEFAULT false,
  status text NOT NULL DEFAULT 'pending',
  slug_id text NOT NULL,
  summary text,
  external_link text,
  external_urls jsonb NOT NULL DEFAULT '[]',
  plan jsonb,
  started_at timestamptz(3),
  ended_at timestamptz(3),
  dismissed_at timestamptz(3),
  dismissed_by_id uuid,
  -- by the sandbox's clock: when it counts as stale, and its agent as unresponsive; null: never
  stale_at timestamptz(3),
  unresponsive_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX tracker_agent_sessions_page ON tracker_agent_sessions (organization_id, created_at, id);
CREATE INDEX tracker_agent_sessions_of_issue ON tracker_agent_sessions (issue_id, created_at, id);
CREATE INDEX tracker_agent_sessions_of_comment ON tracker_agent_sessions (comment_id, created_at, id) WHERE comment_id IS NOT NULL;
CREATE INDEX tracker_agent_sessions_of_source ON tracker_agent_sessions (source_comment_id) WHERE source_comment_id IS NOT NULL;
CREATE INDEX tracker_agent_sessions_stale ON tracker_agent_sessions (stale_at) WHERE stale_at IS NOT NULL;
CREATE INDEX tracker_agent_sessions_unresponsive ON tracker_agent_sessions (unresponsive_at) WHERE unresponsive_at IS NOT NULL;

SELECT sandbox_track('tracker_agent_sessions', 'organization', ARRAY['id']);

-- What an agent and people say in a session.
CREATE TABLE tracker_agent_activities (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  agent_session_id uuid NOT NULL REFERENCES tracker_agent_sessions (id) ON DELETE CASCADE,
  user_id uuid NOT NULL,
  type text NOT NULL,
  content jsonb NOT NULL,
  ephemeral boolean NOT NULL DEFAULT false,
  signal text,
  signal_metadata jsonb,
  source_comment_id uuid REFERENCES comments (id) ON DELETE SET NULL,
  archived_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX tracker_agent_activities_page ON tracker_agent_activities (organization_id, created_at, id);
CREATE INDEX tracker_agent_activities_of_session ON tracker_agent_activities (agent_session_id, created_at, id);
CREATE INDEX tracker_agent_activities_of_source ON tracker_agent_activities (source_comment_id) WHERE source_comment_id IS NOT NULL;

SELECT sandbox_track('tracker_agent_activities', 'organization', ARRAY['id']);
