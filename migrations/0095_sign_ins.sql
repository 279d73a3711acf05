-- One-time links that sign a person in (a link opens one workspace), and the browsers that are signed in. Both are known by
-- hashes of secrets: neither a link nor a cookie can be read out of the store.
CREATE TABLE sign_in_links (
  key_hash text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  team_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  -- what sessions begun by it carry beside the workspace
  claims jsonb NOT NULL DEFAULT '{}',
  target text,
  expires_at timestamptz NOT NULL
);
CREATE INDEX sign_in_links_expiry ON sign_in_links (expires_at);
CREATE INDEX sign_in_links_of_account ON sign_in_links (account_id);
CREATE INDEX sign_in_links_of_team ON sign_in_links (team_id);

CREATE TABLE browsers (
  secret_hash text COLLATE "C" PRIMARY KEY,
  used_at timestamptz NOT NULL
);
CREATE INDEX browsers_used ON browsers (used_at);

CREATE TABLE browser_sign_ins (
  secret_hash text COLLATE "C" NOT NULL REFERENCES browsers (secret_hash) ON DELETE CASCADE,
  sid text COLLATE "C" NOT NULL REFERENCES sessions (sid) ON DELETE CASCADE,
  account_id text COLLATE "C" NOT NULL,
  team_id text COLLATE "C" NOT NULL,
  used_at timestamptz NOT NULL,
  PRIMARY KEY (secret_hash, account_id, team_id)
);
CREATE INDEX browser_sign_ins_of_session ON browser_sign_ins (sid);
