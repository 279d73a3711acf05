-- A write takes part in its sandbox until it commits. While a reset is at it, it fails as a serialization failure does:
-- whoever wrote waits for the reset (kernel/database/db.ts) and begins again against the restored rows.
CREATE OR REPLACE FUNCTION sandbox_enter(tenant bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT pg_try_advisory_xact_lock_shared(7430240, tenant::integer) THEN
    RAISE EXCEPTION 'the sandbox is being reset' USING ERRCODE = '40001', DETAIL = 'sandbox ' || tenant;
  END IF;
END $$;
