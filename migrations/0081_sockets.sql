-- Socket Mode: whether and how apps connect, and who is connected.

-- `on`: sockets only; `off`: URLs only; `auto`: URLs, and sockets while one is open
ALTER TABLE apps ADD COLUMN socket_mode text COLLATE "C" NOT NULL DEFAULT 'auto' CHECK (socket_mode IN ('on', 'off', 'auto'));
UPDATE apps SET socket_mode = CASE WHEN manifest #>> '{settings,socket_mode_enabled}' = 'true' THEN 'on' ELSE 'off' END
 WHERE NOT is_default;

-- app-level tokens stand beside those of bots and users; `user_id` is the app's bot user
ALTER TABLE tokens DROP CONSTRAINT tokens_kind_check;
ALTER TABLE tokens ADD CONSTRAINT tokens_kind_check CHECK (kind IN ('bot', 'user', 'app'));

-- an app's sockets as a target of events; its URL is empty
ALTER TABLE event_targets ADD COLUMN is_socket boolean NOT NULL DEFAULT false;
-- of an app that connects or not as it likes: until when events are recorded for it (null = always)
ALTER TABLE event_targets ADD COLUMN open_until timestamptz;

CREATE TABLE socket_tickets (
  hash text COLLATE "C" PRIMARY KEY,
  app_id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  tenant_id bigint NOT NULL,
  token_hash text COLLATE "C" NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX socket_tickets_expired ON socket_tickets (expires_at);

-- an open connection, for as long as its replica renews it
CREATE TABLE socket_connections (
  id text COLLATE "C" PRIMARY KEY,
  app_id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  tenant_id bigint NOT NULL,
  token_hash text COLLATE "C" NOT NULL,
  replica text COLLATE "C" NOT NULL,
  opened_at timestamptz NOT NULL DEFAULT now(),
  lease_until timestamptz NOT NULL
);
CREATE INDEX socket_connections_of_app ON socket_connections (app_id);
CREATE INDEX socket_connections_lapsed ON socket_connections (lease_until);

-- a command or interaction that another replica than the caller's may have to send
CREATE TABLE socket_requests (
  -- the envelope's
  id text COLLATE "C" PRIMARY KEY,
  app_id text COLLATE "C" NOT NULL,
  tenant_id bigint NOT NULL,
  body text NOT NULL,
  deadline timestamptz NOT NULL,
  claimed_by text COLLATE "C",
  -- the ack's payload, as JSON text
  answer text,
  answered boolean NOT NULL DEFAULT false
);
CREATE INDEX socket_requests_open ON socket_requests (app_id) WHERE claimed_by IS NULL;
CREATE INDEX socket_requests_over ON socket_requests (deadline);

-- an app that is reached over sockets needs no URL
ALTER TABLE slash_commands ALTER COLUMN url DROP NOT NULL;
