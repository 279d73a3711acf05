-- What is left of `available` after costs in their order: one that does not fit takes nothing, and the next is asked.
-- The server process replays the same arithmetic to learn who was let through (Limits in src/kernel/limits).
CREATE OR REPLACE FUNCTION rate_left(available double precision, costs double precision[]) RETURNS double precision
  LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
  cost double precision;
BEGIN
  FOREACH cost IN ARRAY costs LOOP
    IF cost <= 0 OR cost <= available + 1e-6 THEN available := available - cost; END IF;
  END LOOP;
  RETURN available;
END $$;
