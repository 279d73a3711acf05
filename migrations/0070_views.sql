-- Modals, App Homes and what opens them.

-- Trigger ids as apps got them: each is exchanged for one view.
CREATE TABLE triggers (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  app_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  expires_at timestamptz NOT NULL,
  exchanged boolean NOT NULL DEFAULT false,
  -- real time: when it may be forgotten, whatever the sandbox's clock does
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX triggers_age ON triggers (created_at);
CREATE INDEX triggers_of_workspace ON triggers (workspace_id);

-- What an app shows to a person: modals in a stack, and one home.
CREATE TABLE views (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  app_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL CHECK (type IN ('modal', 'home')),
  -- place in the stack from 1; 0 = the home
  depth smallint NOT NULL,
  root_id text COLLATE "C" NOT NULL,
  previous_id text COLLATE "C",
  -- '' = none
  external_id text COLLATE "C" NOT NULL,
  -- JSON text: the view as the app gave it, checked and completed
  content text NOT NULL,
  -- JSON text: what the person entered, by block and action
  entered text NOT NULL DEFAULT '{}',
  hash text COLLATE "C" NOT NULL,
  -- the store's bare time of the app's last change: what an act finds what came after it by
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- modals: the sandbox's time of the last change by app or person
  touched_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX views_place ON views (app_id, user_id, depth);
CREATE UNIQUE INDEX views_external_id ON views (app_id, external_id) WHERE external_id <> '';
CREATE INDEX views_of_user ON views (workspace_id, user_id);
CREATE INDEX views_age ON views (changed_at) WHERE type = 'modal';

-- A command of an app that takes its commands over a socket needs no URL.
ALTER TABLE slash_commands ALTER COLUMN url DROP NOT NULL;
