-- How attempts to reach apps went, for an hour: events, commands and interactions. Losing it does no harm.
CREATE UNLOGGED TABLE app_deliveries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL,
  app_id text COLLATE "C" NOT NULL,
  -- place in the log; null for commands and interactions
  event_id bigint,
  target_id text COLLATE "C",
  -- under which the app knows the event
  public_event_id text COLLATE "C",
  kind text COLLATE "C" NOT NULL,
  transport text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  status_code integer,
  error text COLLATE "C",
  ms integer NOT NULL,
  -- 1 for the first
  attempt integer NOT NULL,
  -- when it ended, real time
  at timestamptz NOT NULL
);
CREATE INDEX app_deliveries_page ON app_deliveries (app_id, id);
CREATE INDEX app_deliveries_of_event ON app_deliveries (event_id, target_id) WHERE event_id IS NOT NULL;
CREATE INDEX app_deliveries_age ON app_deliveries (at);
