-- URLs of tool servers whose path is the whole credential: they act as an app or a person of a sandbox.
CREATE TABLE mcp_urls (
  id text COLLATE "C" PRIMARY KEY,
  tenant_id bigint NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  -- SHA-256 of the secret part of both paths
  hash text COLLATE "C" NOT NULL UNIQUE,
  -- null: a person, who stands in user_id
  app_id text COLLATE "C",
  -- in whose name the tracker is called
  user_id text COLLATE "C" NOT NULL,
  place bigint GENERATED ALWAYS AS IDENTITY,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX mcp_urls_of_tenant ON mcp_urls (tenant_id, place);

SELECT sandbox_leave(name, why) FROM (VALUES ('mcp_urls', 'stay: agents hold them while their sandbox is reset')) l (name, why);
