-- As `sandbox_join`, the other way: a condition on rows `r` of the tenant in parameter 1.
CREATE OR REPLACE FUNCTION sandbox_scope(owner text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE owner WHEN 'tenant' THEN 'r.tenant_id = $1' ELSE coalesce(chat_scope(owner), tracker_scope(owner)) END
$$;
