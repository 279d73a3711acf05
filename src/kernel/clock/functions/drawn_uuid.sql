-- A UUID v4 of a statement: the nth that a call draws, or a random one. `draw` is what it is derived from, a space and
-- what is added to its last part, as in kernel/ids/id-space.
CREATE OR REPLACE FUNCTION drawn_uuid(draw text, n bigint) RETURNS uuid LANGUAGE sql VOLATILE AS $$
  SELECT CASE WHEN draw IS NULL THEN gen_random_uuid() ELSE (
    substr(d.hex, 1, 12) || '4' || substr(d.hex, 14, 3) || '8' || substr(d.hex, 18, 3) || lpad(to_hex(
      (('x' || lpad(substr(d.hex, 21, 12), 16, '0'))::bit(64)::bigint + split_part(draw, ' ', 2)::bigint) % 281474976710656), 12, '0')
    )::uuid END
  FROM (SELECT md5(split_part(draw, ' ', 1) || ':' || n::text) AS hex) d
$$;
