-- What a restored row takes over: all columns but the key, those that go their own way and those the database makes.
CREATE OR REPLACE FUNCTION sandbox_columns(tbl text, without text[]) RETURNS SETOF text LANGUAGE sql STABLE AS $$
  SELECT a.attname::text FROM pg_attribute a
  WHERE a.attrelid = tbl::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    AND NOT (a.attname = ANY(without))
  ORDER BY a.attnum
$$;
