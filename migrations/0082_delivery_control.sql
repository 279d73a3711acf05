-- Deliveries under a test's control: held ones, rules, and what became of those that are over.

-- A held delivery stands outside the queue: `attempt` is -1 - (attempts made), `next_at` when it goes out by itself.
ALTER TABLE deliveries ADD COLUMN held_by text COLLATE "C";
CREATE INDEX deliveries_held ON deliveries (target_id, id) WHERE attempt < 0;
CREATE INDEX deliveries_held_due ON deliveries (next_at) WHERE attempt < 0 AND next_at IS NOT NULL;

CREATE TABLE delivery_rules (
  id text COLLATE "C" PRIMARY KEY,
  tenant_id bigint NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  -- the order in which they were made, which decides where several fit
  place bigint GENERATED ALWAYS AS IDENTITY,
  on_delivery jsonb NOT NULL,
  action jsonb NOT NULL,
  times integer,
  skip integer NOT NULL DEFAULT 0,
  seen bigint NOT NULL DEFAULT 0,
  fired bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX delivery_rules_of_tenant ON delivery_rules (tenant_id, place);

-- Deliveries of sandboxes as they went, for an hour.
CREATE TABLE delivery_history (
  id bigint PRIMARY KEY,
  tenant_id bigint NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  target_id text COLLATE "C" NOT NULL,
  product text COLLATE "C" NOT NULL,
  event_id bigint NOT NULL,
  identity text COLLATE "C",
  public_event_id text COLLATE "C",
  kind text COLLATE "C" NOT NULL,
  -- retrying, done, failed
  state text COLLATE "C" NOT NULL,
  attempts jsonb NOT NULL,
  next_retry_at timestamptz,
  updated_at timestamptz NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX delivery_history_of_tenant ON delivery_history (tenant_id, id);
CREATE INDEX delivery_history_age ON delivery_history (updated_at);

SELECT sandbox_leave(name, why) FROM (VALUES
  ('delivery_rules', 'dropped by a reset'), ('delivery_history', 'what happened stays told')) l (name, why);
