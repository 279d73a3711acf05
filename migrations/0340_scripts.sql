-- What colleagues in a sandbox do by themselves (docs/reference/sandboxes.md#colleagues).
CREATE TABLE script_entries (
  tenant_id bigint NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  name text NOT NULL,
  -- the order in which they were added
  place integer NOT NULL,
  -- as documents have it
  entry jsonb NOT NULL,
  -- real time: what happened before does not set it off
  since timestamptz NOT NULL,
  -- how much matched it, and how often it was done
  seen bigint NOT NULL DEFAULT 0,
  fired bigint NOT NULL DEFAULT 0,
  -- what its last act was refused with; null: it was not
  error text,
  PRIMARY KEY (tenant_id, name)
);
SELECT sandbox_track('script_entries', 'tenant', ARRAY['tenant_id', 'name']);

-- What is due at a time, or was done.
CREATE TABLE script_firings (
  tenant_id bigint NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  name text NOT NULL,
  -- which of its entry's
  number bigint NOT NULL,
  -- microseconds by the sandbox's clock; among equal ones by place
  due_at bigint NOT NULL,
  place bigint NOT NULL,
  -- due at once: done while the clock is stopped, too
  immediate boolean NOT NULL DEFAULT false,
  act text NOT NULL,
  -- of the act, with what set it off filled in
  fields jsonb NOT NULL,
  -- the request that set it off; null: the clock did
  cause text,
  -- how many acts of the script led to it, itself included
  chain integer NOT NULL DEFAULT 1,
  -- of the call that does it, by which its effects are known
  request_id text,
  -- real time: a replica is doing it until then
  taken_until timestamptz,
  done_at timestamptz,
  PRIMARY KEY (tenant_id, name, number)
);
CREATE INDEX script_firings_due ON script_firings (due_at) WHERE done_at IS NULL;
CREATE INDEX script_firings_of_request ON script_firings (tenant_id, request_id) WHERE request_id IS NOT NULL;
SELECT sandbox_track('script_firings', 'tenant', ARRAY['tenant_id', 'name', 'number']);

-- How far the timeline of a sandbox was compared with its script.
CREATE TABLE script_positions (
  tenant_id bigint PRIMARY KEY REFERENCES tenants (id) ON DELETE CASCADE,
  position bigint NOT NULL DEFAULT 0
);
SELECT sandbox_leave('script_positions', 'stay: the timeline goes on after a reset');
