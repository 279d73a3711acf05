-- Public ids that this database makes itself: the prefix, 0, nine of 0-9 and A-Z.
CREATE OR REPLACE FUNCTION new_public_id(prefix text) RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT prefix || '0' || string_agg(substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', 1 + floor(random() * 36)::integer, 1), '')
  FROM generate_series(1, 9)
$$;
