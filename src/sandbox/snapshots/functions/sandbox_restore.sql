CREATE OR REPLACE FUNCTION sandbox_restore(tenant bigint, since integer) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  now_at integer := (SELECT epoch FROM sandboxes WHERE tenant_id = tenant);
  is_last boolean := NOT EXISTS (SELECT FROM unnest(sandbox_starts(tenant)) s WHERE s > since);
  known bigint := -1;
  found bigint;
BEGIN
  PERFORM set_config('understudy.resetting', tenant::text, true);
  SET CONSTRAINTS ALL DEFERRED;
  -- later snapshots need what the reset itself changes
  IF is_last THEN
    BEGIN
      -- nothing is tracked in a sandbox without an epoch; nobody else sees it so
      UPDATE sandboxes SET epoch = 0 WHERE tenant_id = tenant;
      PERFORM sandbox_restore_rows(tenant, since, false);
      UPDATE sandboxes SET epoch = now_at WHERE tenant_id = tenant;
      DELETE FROM sandbox_undo WHERE tenant_id = tenant AND epoch >= since;
      SET CONSTRAINTS ALL IMMEDIATE;
      RETURN false;
    EXCEPTION WHEN unique_violation THEN
      -- names were swapped: rows without images will go along with others, so that images are needed, as below
      NULL;
    END;
  END IF;
  FOR attempt IN 1..4 LOOP
    SELECT count(*) INTO found FROM sandbox_undo WHERE tenant_id = tenant AND epoch >= since;
    -- what was put back may have taken other rows with it, which are known now
    EXIT WHEN found = known;
    known := found;
    PERFORM sandbox_restore_rows(tenant, since, true);
  END LOOP;
  SET CONSTRAINTS ALL IMMEDIATE;
  IF is_last THEN
    DELETE FROM sandbox_undo WHERE tenant_id = tenant AND epoch >= since;
  ELSE
    UPDATE sandboxes SET epoch = epoch + 1 WHERE tenant_id = tenant;
  END IF;
  RETURN NOT is_last;
END $$;
