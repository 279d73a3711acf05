-- What apps and people set up in a workspace (docs/reference/control-plane.md).

-- Whom events are sent to: event subscriptions of apps (`Es…`) and outgoing webhooks (`Ow…`). Whether a target is
-- enabled, and how its last attempt went, is in delivery_targets under the same id.
CREATE TABLE event_targets (
  id text COLLATE "C" PRIMARY KEY,
  tenant_id bigint NOT NULL,
  workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  -- event subscriptions only
  app_id text COLLATE "C",
  url text NOT NULL,
  -- as asked for, names like message.channels included
  names text[] NOT NULL,
  -- what they come to: kinds, and the types of conversation whose `message` is wanted (null = all)
  kinds text[] NOT NULL,
  message_types text[],
  -- outgoing webhooks only: the one conversation that is of interest
  conversation_id text COLLATE "C",
  name text,
  secret text,
  verified boolean NOT NULL DEFAULT false,
  creator_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL
);
-- what planning reads for every event: nothing at all in a tenant without targets
CREATE INDEX event_targets_of_tenant ON event_targets (tenant_id);
CREATE INDEX event_targets_page ON event_targets (workspace_id, created_at, id);
CREATE UNIQUE INDEX event_targets_app_url ON event_targets (app_id, url) WHERE app_id IS NOT NULL;

CREATE TABLE incoming_webhooks (
  -- the secret of the URL, and the bot_id of what is posted
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  app_id text COLLATE "C" NOT NULL,
  conversation_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  icons jsonb,
  creator_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL
);
CREATE INDEX incoming_webhooks_page ON incoming_webhooks (workspace_id, created_at, id);

CREATE TABLE slash_commands (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  app_id text COLLATE "C" NOT NULL,
  command text COLLATE "C" NOT NULL,
  url text NOT NULL,
  description text NOT NULL DEFAULT '',
  usage_hint text NOT NULL DEFAULT '',
  creator_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL
);
CREATE UNIQUE INDEX slash_commands_name ON slash_commands (workspace_id, command);
CREATE INDEX slash_commands_page ON slash_commands (workspace_id, created_at, id);

-- The URLs that an app may answer a command or a click with later (docs/reference/control-plane.md#response-urls): the hash of the secret part.
CREATE TABLE response_urls (
  hash text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  app_id text COLLATE "C" NOT NULL,
  conversation_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  -- the message that was clicked on
  message_ts bigint,
  uses integer NOT NULL DEFAULT 0,
  expires_at timestamptz NOT NULL
);
CREATE INDEX response_urls_expiry ON response_urls (expires_at);
CREATE INDEX response_urls_of_workspace ON response_urls (workspace_id);

-- finding workspaces whose rows are still to be removed
CREATE INDEX workspaces_deleted ON workspaces (deleted_at) WHERE deleted_at IS NOT NULL;
-- user tokens of an app are its further identities (docs/reference/events.md#who-hears)
CREATE INDEX tokens_of_users_of_app ON tokens (app_id, user_id) WHERE kind = 'user' AND revoked_at IS NULL;
