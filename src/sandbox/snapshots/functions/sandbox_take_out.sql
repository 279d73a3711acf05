-- Deletes the rows of a table that have images, and before them what would go along: as long as its parent is there, a row leads to
-- its tenant, so that an image of it is kept.
CREATE OR REPLACE FUNCTION sandbox_take_out(t sandbox_tables, tenant bigint, since integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  source text := format('sandbox_images($1, %1$L, $2) i CROSS JOIN LATERAL jsonb_populate_record(NULL::%1$I, i.image) k', t.name);
  same text := (SELECT string_agg(format('x.%1$I = k.%1$I', k), ' AND ') FROM unnest(t.keys) k);
  child record;
BEGIN
  FOR child IN
    SELECT c.conrelid::regclass AS name, (
        SELECT string_agg(format('x.%I = k.%I', f.attname, p.attname), ' AND ')
        FROM unnest(c.conkey, c.confkey) AS pair (own, parents)
        JOIN pg_attribute f ON f.attrelid = c.conrelid AND f.attnum = pair.own
        JOIN pg_attribute p ON p.attrelid = c.confrelid AND p.attnum = pair.parents) AS hangs
      FROM pg_constraint c JOIN sandbox_tables s ON s.name = c.conrelid::regclass::text AND s.owner IS NOT NULL
     WHERE c.contype = 'f' AND c.confdeltype = 'c' AND c.confrelid = t.name::regclass AND c.conrelid <> c.confrelid
  LOOP
    EXECUTE format('DELETE FROM %s x USING %s WHERE i.image IS NOT NULL AND %s', child.name, source, child.hangs)
      USING tenant, since;
  END LOOP;
  EXECUTE format('DELETE FROM %I x USING %s WHERE i.image IS NOT NULL AND %s', t.name, source, same) USING tenant, since;
END $$;
