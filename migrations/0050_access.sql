-- Whether strangers may join a tenant's workspace and organization by their names. What is there was made before this
-- could be said: only the default tenant stays open.
ALTER TABLE tenants ADD COLUMN joinable boolean NOT NULL DEFAULT true;
UPDATE tenants SET joinable = false
WHERE id NOT IN (SELECT tenant_id FROM workspaces WHERE is_default);

-- Whether the answer that replaced a refresh token reached its client: until then the same answer is given again.
ALTER TABLE spent_refresh_tokens ADD COLUMN delivered boolean NOT NULL DEFAULT false;
UPDATE spent_refresh_tokens SET delivered = true;

-- When nothing of a session can be valid any more, for those that sweep.
ALTER TABLE sessions ADD COLUMN over_at timestamptz NOT NULL DEFAULT now() + interval '2 hours';
UPDATE sessions SET over_at = coalesce(refresh_expires_at, created_at + interval '2 hours');
CREATE INDEX sessions_over ON sessions (over_at, sid);

-- How many workspaces an account has made.
CREATE INDEX workspaces_made_by ON workspaces (creator_id) WHERE deleted_at IS NULL;
