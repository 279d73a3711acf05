-- Drops what is needed no more of so many images behind a place; answers the place where it stopped, nothing at the end.
-- Writers may be at work, and a new state may be kept meanwhile: only images up to the epoch that is the newest now are looked at, and
-- a state that begins later needs none of those. It has to be read before the states are.
CREATE OR REPLACE FUNCTION sandbox_thin(tenant bigint, after_tbl text, after_key text, most integer) RETURNS TABLE (tbl text, key text)
  LANGUAGE plpgsql AS $$
DECLARE
  newest integer := (SELECT s.epoch FROM sandboxes s WHERE s.tenant_id = tenant);
  starts integer[] := sandbox_starts(tenant);
  t sandbox_tables;
BEGIN
  SELECT u.tbl, u.key INTO sandbox_thin.tbl, sandbox_thin.key FROM sandbox_undo u
   WHERE u.tenant_id = tenant AND (u.tbl, u.key) > (after_tbl, after_key) ORDER BY u.tbl, u.key, u.epoch OFFSET most - 1 LIMIT 1;

  -- an image counts for the states since the one before it of the same row; one of a message, where the message was there already
  DELETE FROM sandbox_undo u USING (
    SELECT i.tbl, i.key, i.epoch, lag(i.epoch, 1, -1) OVER (PARTITION BY i.tbl, i.key ORDER BY i.epoch) AS earlier
      FROM sandbox_undo i
     WHERE i.tenant_id = tenant AND (i.tbl, i.key) > (after_tbl, after_key)
       AND (sandbox_thin.tbl IS NULL OR (i.tbl, i.key) <= (sandbox_thin.tbl, sandbox_thin.key))) p
   WHERE u.tenant_id = tenant AND u.tbl = p.tbl AND u.key = p.key AND u.epoch = p.epoch AND u.epoch <= newest
     AND NOT EXISTS (
       SELECT FROM unnest(starts) s WHERE s > p.earlier AND s <= p.epoch
          AND CASE WHEN u.tbl = 'messages' AND u.image IS NOT NULL
                THEN (u.image ->> 'ts')::bigint <= sandbox_last_ts(tenant, u.image ->> 'conversation_id', s)
                ELSE true END);

  -- rows that were not there, are not there and never were in between
  FOR t IN SELECT * FROM sandbox_tables s WHERE s.owner IS NOT NULL AND s.name >= after_tbl
      AND (sandbox_thin.tbl IS NULL OR s.name <= sandbox_thin.tbl) AND EXISTS (
        SELECT FROM sandbox_undo u WHERE u.tenant_id = tenant AND u.tbl = s.name AND u.image IS NULL AND u.epoch < newest)
  LOOP
    EXECUTE format($q$
      DELETE FROM sandbox_undo u
       WHERE u.tenant_id = $1 AND u.tbl = %1$L AND u.image IS NULL AND u.epoch < $2
         AND (u.tbl, u.key) > ($3, $4) AND ($5 IS NULL OR (u.tbl, u.key) <= ($5, $6))
         AND NOT EXISTS (SELECT FROM sandbox_undo l WHERE l.tenant_id = $1 AND l.tbl = %1$L AND l.key = u.key
                            AND l.epoch > u.epoch AND l.image IS NOT NULL)
         AND NOT EXISTS (SELECT FROM %1$I x JOIN jsonb_populate_record(NULL::%1$I, u.key::jsonb) k ON %2$s) $q$,
      t.name, (SELECT string_agg(format('x.%1$I = k.%1$I', k), ' AND ') FROM unnest(t.keys) k))
      USING tenant, newest, after_tbl, after_key, sandbox_thin.tbl, sandbox_thin.key;
  END LOOP;
  IF sandbox_thin.tbl IS NOT NULL THEN RETURN NEXT; END IF;
END $$;
