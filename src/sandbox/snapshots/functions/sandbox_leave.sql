CREATE OR REPLACE FUNCTION sandbox_leave(tbl text, why text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO sandbox_tables (name, reason) VALUES (tbl, why) ON CONFLICT (name) DO NOTHING
$$;
