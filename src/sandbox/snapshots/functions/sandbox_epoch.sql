-- The epoch, unless the transaction began before the last reset was through: it may have read what is no more.
CREATE OR REPLACE FUNCTION sandbox_epoch(tenant bigint, epoch integer, reset_at timestamptz) RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
  IF reset_at > transaction_timestamp() AND current_setting('understudy.resetting', true) IS DISTINCT FROM tenant::text THEN
    RAISE EXCEPTION 'the sandbox was reset' USING ERRCODE = '40001', DETAIL = 'sandbox ' || tenant;
  END IF;
  RETURN epoch;
END $$;
