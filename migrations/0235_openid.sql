-- Keys that sign ID tokens (docs/reference/installing.md#sign-in): the same for every replica. The first one that needs a
-- key stores it; the newest signs.
CREATE TABLE openid_keys (
  number integer PRIMARY KEY,
  kid text COLLATE "C" NOT NULL,
  -- a JWK as text
  private_key text NOT NULL,
  public_key jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
SELECT sandbox_leave('openid_keys', 'of no tenant');
INSERT INTO sealed_columns (tbl, col) VALUES ('openid_keys', 'private_key');

-- what refreshes the tokens of people who signed in: apart from those of installations
ALTER TABLE tokens
  DROP CONSTRAINT tokens_kind_check,
  ADD CONSTRAINT tokens_kind_check
    CHECK (kind IN ('bot', 'user', 'app', 'refresh', 'openid', 'openid_refresh', 'config', 'config_refresh'));
