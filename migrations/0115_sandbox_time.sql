-- The time of sandboxes where rows have to know of it.

-- How far a sandbox's clock is from real time, in one number: microseconds ahead, or from 4.5e15 on where it stands, that
-- much later (src/kernel/clock). Null: real time.
CREATE FUNCTION sandbox_shift(clock_offset bigint, frozen_at bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN frozen_at IS NOT NULL THEN 4500000000000000 + frozen_at WHEN clock_offset <> 0 THEN clock_offset END
$$;

-- What a clock so shifted told at a real moment.
CREATE FUNCTION sandbox_moment(at timestamptz, shift bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN shift IS NULL THEN at WHEN shift >= 4500000000000000 THEN to_timestamp((shift - 4500000000000000) / 1e6)
              ELSE at + shift * interval '1 microsecond' END
$$;

-- what the clock of the one who caused it told: events do not move with a clock that is set later
ALTER TABLE events ADD COLUMN clock bigint;

-- A retry or a delayed delivery of a sandbox whose time stands: when it is due by that time, in microseconds; `next_at` is
-- infinity then. `held_by` of a retry is 'attempt' while one is under way, and `next_at` when that counts as lost.
ALTER TABLE deliveries ADD COLUMN due_at bigint;

-- by the sandbox's time, as everything that an app is given
ALTER TABLE response_urls ADD COLUMN created_at timestamptz NOT NULL DEFAULT clock_timestamp();
UPDATE response_urls r SET expires_at = sandbox_moment(r.expires_at, sandbox_shift(s.clock_offset, s.clock_frozen_at))
  FROM workspaces w JOIN sandboxes s ON s.tenant_id = w.tenant_id WHERE w.id = r.workspace_id;
DROP INDEX response_urls_expiry;
CREATE INDEX response_urls_age ON response_urls (created_at);
