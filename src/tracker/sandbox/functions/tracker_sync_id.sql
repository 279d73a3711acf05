-- The number of the last change of a tenant's organization; null: it has none.
CREATE OR REPLACE FUNCTION tracker_sync_id(tenant bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT o.last_sync_id FROM organizations o WHERE o.tenant_id = tenant
$$;
