-- An app is registered once, in its home, and installed in any number of workspaces: a row of `apps` is an app in one of
-- them (docs/reference/installing.md#several-workspaces). The row of its home is the registration as well.

CREATE FUNCTION new_client_id() RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT lpad(floor(random() * 1e12)::bigint::text, 12, '0') || '.' || lpad(floor(random() * 1e13)::bigint::text, 13, '0')
$$;

ALTER TABLE apps
  -- where it is registered; null: here
  ADD COLUMN home_id text COLLATE "C",
  -- of the registration alone
  ADD COLUMN client_id text COLLATE "C" DEFAULT new_client_id(),
  ADD COLUMN client_secret_hash text COLLATE "C",
  ADD COLUMN is_distributed boolean NOT NULL DEFAULT false,
  -- whether its bot is installed: never, now, no longer
  ADD COLUMN bot_state text COLLATE "C" NOT NULL DEFAULT 'live' CHECK (bot_state IN ('none', 'live', 'ended')),
  -- when it was installed here, in microseconds; null: it is not
  ADD COLUMN installed_at bigint;
UPDATE apps SET installed_at = created_at, client_id = new_client_id();

-- the key and what follows from it: an app has a row in each workspace
ALTER TABLE apps DROP CONSTRAINT apps_pkey, ADD PRIMARY KEY (workspace_id, id);
CREATE UNIQUE INDEX apps_home ON apps (id) WHERE home_id IS NULL;
CREATE INDEX apps_guests ON apps (id) WHERE home_id IS NOT NULL;
CREATE UNIQUE INDEX apps_client_id ON apps (client_id);
DROP INDEX event_targets_app_url;
CREATE UNIQUE INDEX event_targets_app_url ON event_targets (app_id, url, workspace_id) WHERE app_id IS NOT NULL;

UPDATE sandbox_undo u SET key = jsonb_build_object('workspace_id', w.id, 'id', u.key::jsonb ->> 'id')::text
FROM workspaces w WHERE u.tbl = 'apps' AND w.tenant_id = u.tenant_id;
UPDATE sandbox_undo SET image = image || jsonb_build_object('client_id', new_client_id(), 'is_distributed', false,
  'bot_state', 'live', 'installed_at', image -> 'created_at') WHERE tbl = 'apps' AND image IS NOT NULL;
UPDATE sandbox_undo u SET image = u.image || jsonb_build_object('client_id', a.client_id)
FROM apps a WHERE u.tbl = 'apps' AND u.image IS NOT NULL AND a.workspace_id = u.image ->> 'workspace_id' AND a.id = u.image ->> 'id';
UPDATE sandbox_tables SET keys = ARRAY['workspace_id', 'id'] WHERE name = 'apps';
SELECT sandbox_track_functions(t) FROM sandbox_tables t WHERE t.name = 'apps';

ALTER TABLE incoming_webhooks
  -- made by installing its app, and gone with that
  ADD COLUMN is_of_installation boolean NOT NULL DEFAULT false;
UPDATE sandbox_undo SET image = image || '{"is_of_installation": false}' WHERE tbl = 'incoming_webhooks' AND image IS NOT NULL;

ALTER TABLE tokens
  -- the end of a rotating token or of a refresh token, in microseconds by the sandbox's clock
  ADD COLUMN expires_at bigint,
  -- a long-lived token that was exchanged for rotating ones
  ADD COLUMN is_exchanged boolean NOT NULL DEFAULT false,
  -- somebody consented to it; else the app was given it where it was made
  ADD COLUMN is_consented boolean NOT NULL DEFAULT false,
  -- a refresh token that needs no client secret, as the code it came from did not
  ADD COLUMN is_public boolean NOT NULL DEFAULT false,
  DROP CONSTRAINT tokens_kind_check,
  ADD CONSTRAINT tokens_kind_check CHECK (kind IN ('bot', 'user', 'app', 'refresh', 'openid', 'config', 'config_refresh'));
UPDATE sandbox_undo SET image = image || '{"is_exchanged": false, "is_consented": false, "is_public": false}' WHERE tbl = 'tokens' AND image IS NOT NULL;

-- What somebody was shown and may consent to, once, in one browser; what they consented to, until it is redeemed. Both are
-- known by hashes of secrets. Codes count by the sandbox's clock; tickets and browsers by real time, as they protect people.
CREATE TABLE oauth_browsers (
  hash text COLLATE "C" PRIMARY KEY,
  -- who signed in on the page; null: nobody
  account_id text COLLATE "C",
  expires_at timestamptz NOT NULL
);
CREATE INDEX oauth_browsers_expiry ON oauth_browsers (expires_at);

CREATE TABLE oauth_tickets (
  hash text COLLATE "C" PRIMARY KEY,
  browser_hash text COLLATE "C" NOT NULL REFERENCES oauth_browsers (hash) ON DELETE CASCADE,
  -- where the app is registered
  tenant_id bigint NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  product text COLLATE "C" NOT NULL,
  request jsonb NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX oauth_tickets_expiry ON oauth_tickets (expires_at);
CREATE INDEX oauth_tickets_of_tenant ON oauth_tickets (tenant_id);
CREATE INDEX oauth_tickets_of_browser ON oauth_tickets (browser_hash);

CREATE TABLE oauth_codes (
  hash text COLLATE "C" PRIMARY KEY,
  -- where the app is registered, and where it is to be installed
  home_id bigint NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  tenant_id bigint NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  client_id text COLLATE "C" NOT NULL,
  -- install, sign-in
  kind text COLLATE "C" NOT NULL,
  consent jsonb NOT NULL,
  -- microseconds
  expires_at bigint NOT NULL,
  is_redeemed boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX oauth_codes_of_home ON oauth_codes (home_id);
CREATE INDEX oauth_codes_of_tenant ON oauth_codes (tenant_id);
CREATE INDEX oauth_codes_age ON oauth_codes (created_at);

SELECT sandbox_leave('oauth_browsers', 'of no tenant');
SELECT sandbox_leave('oauth_tickets', 'dropped by a reset');
SELECT sandbox_leave('oauth_codes', 'dropped by a reset');
