-- A ring's oldest entries are found without a walk over the ring: each entry knows how many bytes were written up to its end,
-- and each timeline how many in all and up to which entry it was emptied. Entries from before count as the oldest.
ALTER TABLE timelines
  ADD COLUMN bytes bigint NOT NULL DEFAULT 0,
  ADD COLUMN trimmed_seq bigint NOT NULL DEFAULT 0;
ALTER TABLE timeline ADD COLUMN ends_at bigint NOT NULL DEFAULT 0;

-- Long bodies live minutes in a busy ring, and making them smaller with pglz took a third of what it takes to write them.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY(enumvals)) THEN
    ALTER TABLE timeline ALTER COLUMN body SET COMPRESSION lz4;
  ELSE
    ALTER TABLE timeline ALTER COLUMN body SET STORAGE EXTERNAL;
  END IF;
END $$;
