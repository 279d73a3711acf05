-- What a clock so shifted told at a real moment.
CREATE OR REPLACE FUNCTION sandbox_moment(at timestamptz, shift bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN shift IS NULL THEN at WHEN shift >= 4500000000000000 THEN to_timestamp((shift - 4500000000000000) / 1e6)
              ELSE at + shift * interval '1 microsecond' END
$$;
