-- How far a sandbox's clock is from real time, in one number: microseconds ahead, or from 4.5e15 on where it stands, that
-- much later (src/kernel/clock). Null: real time.
CREATE OR REPLACE FUNCTION sandbox_shift(clock_offset bigint, frozen_at bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN frozen_at IS NOT NULL THEN 4500000000000000 + frozen_at WHEN clock_offset <> 0 THEN clock_offset END
$$;
