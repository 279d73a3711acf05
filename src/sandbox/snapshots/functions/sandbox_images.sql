-- The first image of each row of a table that changed since an epoch.
CREATE OR REPLACE FUNCTION sandbox_images(tenant bigint, of_table text, since integer) RETURNS TABLE (key text, image jsonb)
  LANGUAGE sql STABLE ROWS 50 AS $$
  SELECT DISTINCT ON (u.key) u.key, u.image FROM sandbox_undo u
  WHERE u.tenant_id = tenant AND u.tbl = of_table AND u.epoch >= since ORDER BY u.key, u.epoch
$$;
