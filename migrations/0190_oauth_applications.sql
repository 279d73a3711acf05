-- Applications that ask for access to organizations: registered in one, their home, and authorized in any number
-- (docs/reference/tracker-oauth.md). What is given in another organization refers to its application by id alone, as a reset there
-- may not depend on what became of the registration.
CREATE TABLE oauth_applications (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  client_id text COLLATE "C" NOT NULL,
  -- null: of an organization from before there were applications, until a secret is made
  client_secret_hash text COLLATE "C",
  name text NOT NULL,
  description text,
  developer text,
  developer_url text,
  image_url text,
  -- exact ones; none, in the default application alone: any URL of http on this machine
  redirect_uris text[] NOT NULL DEFAULT '{}',
  has_client_credentials boolean NOT NULL DEFAULT false,
  is_public boolean NOT NULL DEFAULT false,
  is_default boolean NOT NULL DEFAULT false,
  webhook_url text,
  webhook_enabled boolean NOT NULL DEFAULT false,
  webhook_resource_types text[] NOT NULL DEFAULT '{}',
  webhook_secret text,
  creator_id uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX oauth_applications_client_id ON oauth_applications (client_id);
CREATE INDEX oauth_applications_page ON oauth_applications (organization_id, created_at, id);

-- What one person, or the application as a user of its own, may do in an organization; it stays when it ends, as who has an
-- ended token learns that it was revoked.
CREATE TABLE oauth_authorizations (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  application_id uuid NOT NULL,
  -- who acts: a person, or the application's own user
  user_id uuid NOT NULL,
  -- who consented; null: nobody, by client credentials
  granted_by_id uuid,
  -- user, app
  actor text COLLATE "C" NOT NULL,
  scopes text[] NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  ended_at timestamptz(3)
);
CREATE UNIQUE INDEX oauth_authorizations_user ON oauth_authorizations (application_id, organization_id, user_id);
CREATE INDEX oauth_authorizations_of_organization ON oauth_authorizations (organization_id);

CREATE TABLE oauth_tokens (
  hash text COLLATE "C" PRIMARY KEY,
  organization_id uuid NOT NULL,
  authorization_id uuid NOT NULL REFERENCES oauth_authorizations (id) ON DELETE CASCADE,
  -- access, refresh
  kind text COLLATE "C" NOT NULL,
  -- the redeemed code that it goes back to; null: client credentials
  grant_id uuid,
  scopes text[] NOT NULL,
  -- a refresh token that needs no client secret, as the code it came from did not
  is_public boolean NOT NULL DEFAULT false,
  -- microseconds by the sandbox's clock; null: no end of its own
  expires_at bigint,
  revoked_at timestamptz(3),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX oauth_tokens_of_authorization ON oauth_tokens (authorization_id, kind, created_at);
CREATE INDEX oauth_tokens_of_organization ON oauth_tokens (organization_id);
CREATE INDEX oauth_tokens_of_grant ON oauth_tokens (grant_id) WHERE grant_id IS NOT NULL;

ALTER TABLE tracker_users
  -- the application whose own user it is; null: a person
  ADD COLUMN application_id uuid,
  ADD COLUMN can_be_assigned boolean NOT NULL DEFAULT true,
  ADD COLUMN can_be_mentioned boolean NOT NULL DEFAULT true,
  -- false: it sees the teams of which it is a member, and no others
  ADD COLUMN all_public_teams boolean NOT NULL DEFAULT true;
CREATE UNIQUE INDEX tracker_users_of_application ON tracker_users (application_id, organization_id) WHERE application_id IS NOT NULL;
UPDATE sandbox_undo SET image = image || '{"can_be_assigned": true, "can_be_mentioned": true, "all_public_teams": true}'
WHERE tbl = 'tracker_users' AND image IS NOT NULL;

-- the webhook of an application
ALTER TABLE tracker_webhooks ADD COLUMN application_id uuid;
CREATE INDEX tracker_webhooks_of_application ON tracker_webhooks (application_id) WHERE application_id IS NOT NULL;

-- what an application made as itself shows of it
ALTER TABLE issues ADD COLUMN bot_actor jsonb;
ALTER TABLE comments ADD COLUMN bot_actor jsonb;

INSERT INTO oauth_applications (id, organization_id, client_id, name, has_client_credentials, is_default)
SELECT gen_random_uuid(), o.id, replace(gen_random_uuid()::text, '-', ''), 'default-app', true, true
FROM organizations o JOIN workspaces w ON w.tenant_id = o.tenant_id AND w.deleted_at IS NULL;

INSERT INTO sealed_columns (tbl, col) VALUES ('oauth_applications', 'webhook_secret');
DROP INDEX sandbox_undo_with_secrets;
CREATE INDEX sandbox_undo_with_secrets ON sandbox_undo (tbl)
  WHERE tbl IN ('apps', 'event_targets', 'tracker_webhooks', 'oauth_applications');

SELECT sandbox_track('oauth_applications', 'organization', ARRAY['id']);
SELECT sandbox_track('oauth_authorizations', 'organization', ARRAY['id']);
SELECT sandbox_track('oauth_tokens', 'organization', ARRAY['hash']);
