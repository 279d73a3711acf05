-- What callers used of their allowances (src/kernel/limits). Unlogged: after a crash of the server allowances start
-- afresh, and no take waits for the disk. A row that is past expires_at says the same as no row and is swept. Times are
-- microseconds since 1970. No index but the key, so that every take is an update within its page (fillfactor).

-- Sliding windows. Slot i: upto[i] calls were accepted until at[i], counted from the row's beginning; `base` of them
-- have left the window, `total` were accepted in all.
CREATE UNLOGGED TABLE rate_windows (
  key text COLLATE "C" PRIMARY KEY,
  at bigint[] NOT NULL,
  upto bigint[] NOT NULL,
  base bigint NOT NULL,
  total bigint NOT NULL,
  expires_at bigint NOT NULL,
  -- for the answer: where the last batch had this key, and the calls in the window that it found
  place integer NOT NULL,
  was bigint NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 1);
-- A window of more than some 110 slots leaves the page; compressing it each time would cost five times its writing.
ALTER TABLE rate_windows ALTER at SET STORAGE EXTERNAL, ALTER upto SET STORAGE EXTERNAL;

-- Leaky buckets: `level` tokens were left at `at`.
CREATE UNLOGGED TABLE rate_buckets (
  key text COLLATE "C" PRIMARY KEY,
  level double precision NOT NULL,
  at bigint NOT NULL,
  expires_at bigint NOT NULL,
  -- as above; `was` is the level that the last batch found
  place integer NOT NULL,
  was double precision NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 1);

-- What is left of `available` after costs in their order: one that does not fit takes nothing, and the next is asked.
-- The server process replays the same arithmetic to learn who was let through (Limits in src/kernel/limits).
CREATE FUNCTION rate_left(available double precision, costs double precision[]) RETURNS double precision
  LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
  cost double precision;
BEGIN
  FOREACH cost IN ARRAY costs LOOP
    IF cost <= 0 OR cost <= available + 1e-6 THEN available := available - cost; END IF;
  END LOOP;
  RETURN available;
END $$;
