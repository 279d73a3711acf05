-- What happened in a sandbox, in one order: a ring of so many entries and bytes. Calls and deliveries are written
-- together shortly after they ended; of an event only its place stands here, its text stays in the event log.

-- Where each sandbox's timeline is.
CREATE TABLE timelines (
  tenant_id bigint PRIMARY KEY,
  last_seq bigint NOT NULL DEFAULT 0,
  -- waits begin here unless they say otherwise
  mark bigint NOT NULL DEFAULT 0,
  -- entries up to here were taken away by hand
  cleared_seq bigint NOT NULL DEFAULT 0,
  -- counts up with every clearing, so that streams notice
  clearings integer NOT NULL DEFAULT 0,
  -- the highest event with a place, and from which on events are looked over: a transaction may commit late under a
  -- lower id, so that one moves after the other with some seconds between them
  events_to bigint NOT NULL DEFAULT 0,
  events_pivot bigint NOT NULL DEFAULT 0,
  events_from bigint NOT NULL DEFAULT 0,
  rotated_at timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 50);

CREATE TABLE timeline (
  tenant_id bigint NOT NULL,
  -- given under the lock of the row in timelines: within a sandbox the order of commits
  seq bigint NOT NULL,
  -- by the sandbox's clock, and by the wall's
  at timestamptz NOT NULL,
  wall timestamptz NOT NULL,
  kind text COLLATE "C" NOT NULL,
  event_id bigint,
  -- JSON objects as text: what lists show, and what is long
  head text,
  body text,
  bytes integer NOT NULL,
  PRIMARY KEY (tenant_id, seq)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0);
CREATE UNIQUE INDEX timeline_of_events ON timeline (tenant_id, event_id) WHERE event_id IS NOT NULL;
CREATE INDEX timeline_age ON timeline (wall);

-- What was asked to go wrong.
CREATE TABLE faults (
  id text COLLATE "C" PRIMARY KEY,
  tenant_id bigint NOT NULL,
  -- the order in which they were made, which decides where several fit
  place bigint GENERATED ALWAYS AS IDENTITY,
  on_call jsonb NOT NULL,
  fault jsonb NOT NULL,
  when_hit text COLLATE "C",
  times integer,
  skip integer NOT NULL DEFAULT 0,
  probability double precision,
  random_seed bigint NOT NULL DEFAULT 1,
  -- calls that matched, and those that were hit
  seen bigint NOT NULL DEFAULT 0,
  fired bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);
CREATE INDEX faults_of_tenant ON faults (tenant_id, place);

SELECT sandbox_leave(name, why) FROM (VALUES
  ('timelines', 'a reset keeps the timeline'), ('timeline', 'a reset keeps the timeline'),
  ('faults', 'dropped by a reset')) l (name, why);
