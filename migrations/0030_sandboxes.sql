-- A sandbox is a tenant with a workspace: what tests, suites and operators set about it, one row a tenant.

-- Public ids that this database makes itself: the prefix, 0, nine of 0-9 and A-Z.
CREATE FUNCTION new_public_id(prefix text) RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT prefix || '0' || string_agg(substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', 1 + floor(random() * 36)::integer, 1), '')
  FROM generate_series(1, 9)
$$;

CREATE TABLE sandboxes (
  tenant_id bigint PRIMARY KEY REFERENCES tenants (id) ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL UNIQUE DEFAULT new_public_id('Sb'),
  -- null: the workspace's
  name text,
  labels jsonb NOT NULL DEFAULT '{}',
  -- the named admin token that made it, or that made what it was copied from
  owner text COLLATE "C",
  -- `default`: the default workspace; `made`: by the sandboxes' own routes; `provisioned`: by any other way
  origin text COLLATE "C" NOT NULL DEFAULT 'provisioned' CHECK (origin IN ('default', 'made', 'provisioned')),
  -- these two in real time
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  -- to within some seconds, real time
  last_call_at timestamptz,
  -- null: as the server does by default
  journal boolean,
  methods text COLLATE "C" CHECK (methods IN ('core', 'all')),
  rate_limit_multiplier double precision,
  missing_scope_status smallint CHECK (missing_scope_status IN (200, 403)),
  -- counts up when all used allowances are forgotten: it is part of their keys
  allowances integer NOT NULL DEFAULT 0,
  -- SHA-256 (hex)
  control_token_hash text COLLATE "C" UNIQUE,
  -- microseconds ahead of real time, or where time stands, in microseconds since 1970
  clock_offset bigint NOT NULL DEFAULT 0,
  clock_frozen_at bigint,
  clock_sign_with text COLLATE "C" NOT NULL DEFAULT 'wall' CHECK (clock_sign_with IN ('wall', 'sandbox')),
  has_faults boolean NOT NULL DEFAULT false,
  has_delivery_rules boolean NOT NULL DEFAULT false,
  -- what every call of this sandbox needs to know of it, as the look-up of its caller answers it (kernel/sandbox)
  flags text GENERATED ALWAYS AS (
    '{"id":"' || id || '","tenantId":' || tenant_id::text || ',"origin":"' || origin
    || '","journal":' || coalesce(journal::text, 'null')
    || ',"methods":' || coalesce('"' || methods || '"', 'null')
    || ',"multiplier":' || coalesce(rate_limit_multiplier::text, 'null')
    || ',"missingScopeStatus":' || coalesce(missing_scope_status::text, 'null')
    || ',"allowances":' || allowances::text
    || ',"offset":' || clock_offset::text || ',"frozenAt":' || coalesce(clock_frozen_at::text, 'null')
    || ',"signWith":"' || clock_sign_with
    || '","faults":' || has_faults::text || ',"rules":' || has_delivery_rules::text || '}') STORED
) WITH (fillfactor = 70);
CREATE INDEX sandboxes_page ON sandboxes (created_at, id);
CREATE INDEX sandboxes_of_owner ON sandboxes (owner, created_at, id) WHERE owner IS NOT NULL;
CREATE INDEX sandboxes_expiry ON sandboxes (expires_at) WHERE expires_at IS NOT NULL;

INSERT INTO sandboxes (tenant_id, origin, created_at)
SELECT w.tenant_id, CASE WHEN w.is_default THEN 'default' ELSE 'provisioned' END, to_timestamp(w.created_at / 1000000)
FROM workspaces w WHERE w.deleted_at IS NULL;

-- Whoever makes a workspace makes a sandbox; who knows more about it writes the row first.
CREATE FUNCTION sandbox_of_workspace() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO sandboxes (tenant_id, origin) VALUES (NEW.tenant_id, CASE WHEN NEW.is_default THEN 'default' ELSE 'provisioned' END)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER sandbox_of_workspace AFTER INSERT ON workspaces FOR EACH ROW EXECUTE FUNCTION sandbox_of_workspace();
