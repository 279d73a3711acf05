-- Sandboxes that are made in advance and wait for a claim (docs/reference/sandboxes.md#pools).
CREATE TABLE pools (
  id text COLLATE "C" PRIMARY KEY DEFAULT new_public_id('Po'),
  name text COLLATE "C" NOT NULL UNIQUE,
  -- the named admin token that made it
  owner text COLLATE "C",
  -- the snapshot's id; the pool has a copy of its own, so it may be gone
  snapshot text COLLATE "C" NOT NULL,
  -- the snapshot's clock, from which that of a claimed sandbox starts
  clock jsonb NOT NULL,
  size integer NOT NULL,
  refill boolean NOT NULL,
  -- how many are still to be made; with refill it follows from size
  to_make integer NOT NULL,
  -- of a claimed sandbox; null: it does not end
  ttl_seconds integer,
  urls text COLLATE "C" NOT NULL DEFAULT 'server' CONSTRAINT pools_urls_check CHECK (urls IN ('server', 'vendor')),
  -- why none can be made at the moment
  error text,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- pool_role: 'template' is the pool's own copy of its snapshot, 'ready' waits for a claim, 'surplus' for its deletion;
-- null: a sandbox like any other. pool_grants: for whom apps are installed in a copy that has no credentials yet.
ALTER TABLE sandboxes
  ADD COLUMN pool_id text COLLATE "C" REFERENCES pools (id) ON DELETE SET NULL,
  ADD COLUMN pool_role text COLLATE "C"
    CONSTRAINT sandboxes_pool_role_check CHECK (pool_role IN ('template', 'ready', 'surplus')),
  ADD COLUMN pool_grants jsonb;
CREATE INDEX sandboxes_of_pool ON sandboxes (pool_id, pool_role) WHERE pool_id IS NOT NULL;

SELECT sandbox_leave(name, why) FROM (VALUES ('pools', 'belongs to no sandbox')) l (name, why);
