-- Accounts and their sessions; `auth` knows neither product, so what they add to a token is kept as claims.
CREATE TABLE accounts (
  id text COLLATE "C" PRIMARY KEY,
  email text COLLATE "C",
  password_hash text,
  real_name text NOT NULL,
  claims jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  deactivated_at timestamptz
);
CREATE UNIQUE INDEX accounts_email ON accounts (email);

CREATE TABLE sessions (
  sid text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  claims jsonb NOT NULL DEFAULT '{}',
  refresh_hash text COLLATE "C",
  refresh_expires_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz
);
CREATE UNIQUE INDEX sessions_refresh_hash ON sessions (refresh_hash);
CREATE INDEX sessions_of_account ON sessions (account_id);

-- Hashes of refresh tokens that were exchanged: to see one again means that it was stolen.
CREATE TABLE spent_refresh_tokens (
  hash text COLLATE "C" PRIMARY KEY,
  sid text COLLATE "C" NOT NULL REFERENCES sessions (sid) ON DELETE CASCADE,
  spent_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX spent_refresh_tokens_of_session ON spent_refresh_tokens (sid);
