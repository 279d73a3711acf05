-- A row that was deleted and made again has another place in the order of its table, which no update can set: it goes, and comes back
-- as it was.
CREATE OR REPLACE FUNCTION sandbox_remove_made_again(t sandbox_tables, tenant bigint, since integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  same text := (SELECT string_agg(format('x.%1$I = k.%1$I', k), ' AND ') FROM unnest(t.keys) k);
  place text := (SELECT a.attname FROM pg_attribute a
                 WHERE a.attrelid = t.name::regclass AND a.attidentity <> '' AND a.attname <> ALL (t.keys) LIMIT 1);
BEGIN
  IF place IS NULL THEN RETURN; END IF;
  EXECUTE format('DELETE FROM %1$I x USING sandbox_images($1, %1$L, $2) i
    CROSS JOIN LATERAL jsonb_populate_record(NULL::%1$I, i.image) k WHERE i.image IS NOT NULL AND %2$s AND x.%3$I <> k.%3$I',
    t.name, same, place) USING tenant, since;
END $$;
