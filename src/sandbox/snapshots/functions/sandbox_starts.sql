-- The epochs that a reset can go back to.
CREATE OR REPLACE FUNCTION sandbox_starts(tenant bigint) RETURNS integer[] LANGUAGE sql STABLE AS $$
  SELECT coalesce(array_agg(epoch), '{}') FROM (
    SELECT s.epoch FROM snapshots s WHERE s.tenant_id = tenant
    UNION SELECT s.baseline_epoch FROM sandboxes s WHERE s.tenant_id = tenant AND s.baseline_epoch IS NOT NULL) starts
$$;
