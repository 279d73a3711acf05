-- What both products stand on: tenants, the event log, instance secrets.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- Secrets and facts of this installation, made once under the migration lock.
CREATE TABLE instance_values (
  key text COLLATE "C" PRIMARY KEY,
  value text NOT NULL
);

-- The root of tenancy: at most one workspace and at most one organization hang on each.
CREATE TABLE tenants (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  created_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz
);

-- One append-only log for both products. `data` is JSON kept as text: it is passed on, never queried.
CREATE TABLE events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id bigint NOT NULL,
  product text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  room text COLLATE "C" NOT NULL,
  sync_id bigint,
  data text NOT NULL,
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
