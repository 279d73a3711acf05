-- Deliveries of events to URLs of apps, for both products (architecture.md, Events out).

-- The engine's view of a subscription; its URL, secret and list of kinds stay in the product's own table.
CREATE TABLE delivery_targets (
  -- the subscription's own id
  id text COLLATE "C" PRIMARY KEY,
  -- the dialect that loads and renders: `chat.events`, `chat.outgoing`, `tracker`
  product text COLLATE "C" NOT NULL,
  tenant_id bigint NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  enabled boolean NOT NULL DEFAULT true,
  -- HTTP status or retry reason of the last attempt
  last_status text,
  -- events in a row that used up all their attempts
  exhausted_in_row integer NOT NULL DEFAULT 0,
  -- the process that sends first attempts now, and until when
  lane_owner text COLLATE "C",
  lane_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);
CREATE INDEX delivery_targets_of_tenant ON delivery_targets (tenant_id);

-- The queue: a row for an event and a target, deleted when it was answered or given up. No foreign keys: the check
-- would lock the target's row for every event that is written. Rows whose target is gone are swept by the engine.
CREATE TABLE deliveries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  target_id text COLLATE "C" NOT NULL,
  event_id bigint NOT NULL,
  -- whatever the product wants to find again at each attempt: to whom the event was visible, an id of the delivery
  identity text COLLATE "C",
  -- attempts made; 0 = waits in the target's lane
  attempt smallint NOT NULL DEFAULT 0,
  -- from the first failure on: when the next attempt is due. While an attempt runs, when it counts as lost
  next_at timestamptz,
  -- why the attempt before failed (docs/reference/events.md#delivery)
  reason text COLLATE "C"
) WITH (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_insert_threshold = -1,
  autovacuum_analyze_scale_factor = 0.5, autovacuum_vacuum_cost_delay = 0
);
CREATE INDEX deliveries_first ON deliveries (target_id, id) WHERE attempt = 0;
CREATE INDEX deliveries_retry ON deliveries (next_at) WHERE attempt > 0;
CREATE INDEX deliveries_retry_of_target ON deliveries (target_id) WHERE attempt > 0;

-- Attempts by the minute, for the rule that disables a target by its share of failures. Losing it does no harm.
CREATE UNLOGGED TABLE delivery_counts (
  target_id text COLLATE "C" NOT NULL,
  minute integer NOT NULL,
  attempts integer NOT NULL,
  failures integer NOT NULL,
  PRIMARY KEY (target_id, minute)
);
CREATE INDEX delivery_counts_age ON delivery_counts (minute);
