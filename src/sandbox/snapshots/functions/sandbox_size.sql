-- How many rows a tenant has, and their size.
CREATE OR REPLACE FUNCTION sandbox_size(tenant bigint) RETURNS TABLE (rows bigint, bytes bigint) LANGUAGE plpgsql STABLE AS $$
DECLARE
  t sandbox_tables;
  n bigint;
  b bigint;
BEGIN
  rows := 0;
  bytes := 0;
  FOR t IN SELECT * FROM sandbox_tables s WHERE s.owner IS NOT NULL LOOP
    EXECUTE format('SELECT count(*), coalesce(sum(pg_column_size(r.*)), 0) FROM %I r WHERE %s', t.name, sandbox_scope(t.owner))
      INTO n, b USING tenant;
    rows := rows + n;
    bytes := bytes + b;
  END LOOP;
  RETURN NEXT;
END $$;
