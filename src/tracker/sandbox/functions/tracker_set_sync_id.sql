CREATE OR REPLACE FUNCTION tracker_set_sync_id(tenant bigint, sync_id bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE organizations SET last_sync_id = sync_id WHERE tenant_id = tenant;
END $$;
