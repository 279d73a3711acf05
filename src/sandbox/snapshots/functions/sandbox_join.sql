-- Joins that lead from a row `r` to its sandbox `s`.
CREATE OR REPLACE FUNCTION sandbox_join(owner text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE owner
    WHEN 'tenant' THEN 'JOIN sandboxes s ON s.tenant_id = r.tenant_id'
    ELSE coalesce(chat_join(owner), tracker_join(owner))
  END
$$;
