CREATE OR REPLACE FUNCTION new_client_id() RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT lpad(floor(random() * 1e12)::bigint::text, 12, '0') || '.' || lpad(floor(random() * 1e13)::bigint::text, 13, '0')
$$;
