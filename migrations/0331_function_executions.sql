-- Custom steps of apps that people ran (docs/reference/chat.md#custom-steps).
CREATE TABLE function_executions (
  id text COLLATE "C" PRIMARY KEY,
  -- the run of the workflow that the step stands in
  workflow_execution_id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  app_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  callback_id text NOT NULL,
  status text COLLATE "C" NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'completed', 'failed')),
  inputs jsonb NOT NULL,
  outputs jsonb NOT NULL DEFAULT '{}',
  -- what the app said when it failed
  error text,
  -- microseconds by the sandbox's clock
  started_at bigint NOT NULL
);
CREATE UNIQUE INDEX function_executions_workflow ON function_executions (workflow_execution_id);
CREATE INDEX function_executions_page ON function_executions (workspace_id, app_id, started_at);
SELECT sandbox_track('function_executions', 'workspace', ARRAY['id']);

-- the token that comes with a step: it acts as the bot until the step ends
ALTER TABLE tokens
  DROP CONSTRAINT tokens_kind_check,
  ADD CONSTRAINT tokens_kind_check
    CHECK (kind IN ('bot', 'user', 'app', 'refresh', 'openid', 'openid_refresh', 'config', 'config_refresh', 'workflow'));
