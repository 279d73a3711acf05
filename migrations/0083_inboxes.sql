-- URLs on this server that take any request: a delivery can be seen without a receiver.
CREATE TABLE inboxes (
  id text COLLATE "C" PRIMARY KEY,
  tenant_id bigint NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  name text,
  -- the last part of the URL, which is the whole credential
  secret text COLLATE "C" NOT NULL UNIQUE,
  -- in turn; the last one stays
  answers jsonb NOT NULL,
  -- handshakes are answered whatever turn it is
  challenge boolean NOT NULL,
  served bigint NOT NULL DEFAULT 0,
  place bigint GENERATED ALWAYS AS IDENTITY,
  created_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 70);
CREATE INDEX inboxes_of_tenant ON inboxes (tenant_id, place);

SELECT sandbox_leave(name, why) FROM (VALUES ('inboxes', 'stay, and their answers start over')) l (name, why);
