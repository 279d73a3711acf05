-- Images that no state needs any more are dropped: a sandbox that takes and replaces snapshots all the time, or goes back to its
-- baseline all the time, keeps no more of them than one that does it once.

-- The epochs that a reset can go back to.
CREATE FUNCTION sandbox_starts(tenant bigint) RETURNS integer[] LANGUAGE sql STABLE AS $$
  SELECT coalesce(array_agg(epoch), '{}') FROM (
    SELECT s.epoch FROM snapshots s WHERE s.tenant_id = tenant
    UNION SELECT s.baseline_epoch FROM sandboxes s WHERE s.tenant_id = tenant AND s.baseline_epoch IS NOT NULL) starts
$$;

-- The newest message of a conversation when an epoch began; -1: it had none, or was not there.
CREATE FUNCTION sandbox_last_ts(tenant bigint, conversation text, since integer) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
  was bigint;
BEGIN
  SELECT (u.image ->> 'last_ts')::bigint INTO was FROM sandbox_undo u
   WHERE u.tenant_id = tenant AND u.tbl = 'conversations' AND u.key = jsonb_build_object('id', conversation)::text AND u.epoch >= since
   ORDER BY u.epoch LIMIT 1;
  IF NOT FOUND THEN
    SELECT c.last_ts INTO was FROM conversations c WHERE c.id = conversation;
  END IF;
  RETURN coalesce(was, -1);
END $$;

-- Drops what is needed no more of so many images behind a place; answers the place where it stopped, nothing at the end.
-- Writers may be at work, and a new state may be kept meanwhile: only images up to the epoch that is the newest now are looked at, and
-- a state that begins later needs none of those. It has to be read before the states are.
CREATE FUNCTION sandbox_thin(tenant bigint, after_tbl text, after_key text, most integer) RETURNS TABLE (tbl text, key text)
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

-- Deletes what was not there. Messages that came back in an earlier reset are known by their images as well as by the counter.
CREATE OR REPLACE FUNCTION sandbox_remove_new(t sandbox_tables, tenant bigint, since integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  same text := (SELECT string_agg(format('x.%I = k.%I', k, k), ' AND ') FROM unnest(t.keys) k);
BEGIN
  IF t.name = 'messages' THEN
    DELETE FROM messages m USING sandbox_images(tenant, 'conversations', since) i
    WHERE m.conversation_id = i.key::jsonb ->> 'id' AND m.ts > coalesce((i.image ->> 'last_ts')::bigint, -1);
    IF NOT EXISTS (SELECT FROM sandbox_undo u WHERE u.tenant_id = tenant AND u.tbl = t.name AND u.epoch >= since AND u.image IS NULL)
      THEN RETURN; END IF;
  END IF;
  EXECUTE format('DELETE FROM %1$I x USING sandbox_images($1, %1$L, $2) i
    CROSS JOIN LATERAL jsonb_populate_record(NULL::%1$I, i.key::jsonb) k WHERE i.image IS NULL AND %2$s', t.name, same)
    USING tenant, since;
END $$;

-- A row that was deleted and made again has another place in the order of its table, which no update can set: it goes, and comes back
-- as it was.
CREATE FUNCTION sandbox_remove_made_again(t sandbox_tables, tenant bigint, since integer) RETURNS void LANGUAGE plpgsql AS $$
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

CREATE OR REPLACE FUNCTION sandbox_restore_rows(tenant bigint, since integer, may_swap boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  t sandbox_tables;
  grown text[];
  changed text[];
BEGIN
  -- new messages have no images: they are those behind their conversation's counter
  SELECT array_agg(DISTINCT u.tbl) FILTER (WHERE u.image IS NULL)
           || CASE WHEN bool_or(u.tbl = 'conversations') THEN ARRAY['messages'] ELSE '{}' END,
         array_agg(DISTINCT u.tbl) FILTER (WHERE u.image IS NOT NULL)
    INTO grown, changed
    FROM sandbox_undo u WHERE u.tenant_id = tenant AND u.epoch >= since;
  FOR t IN SELECT * FROM sandbox_tables s WHERE s.owner IS NOT NULL AND s.name = ANY (grown) ORDER BY s.position DESC LOOP
    PERFORM sandbox_remove_new(t, tenant, since);
  END LOOP;
  IF 'messages' = ANY (changed) THEN
    -- a message that comes back was not there for snapshots of meanwhile, and its insert leaves no image
    INSERT INTO sandbox_undo (tenant_id, tbl, key, epoch)
    SELECT tenant, 'messages', i.key, s.epoch FROM sandbox_images(tenant, 'messages', since) i
    JOIN sandboxes s ON s.tenant_id = tenant AND s.epoch > 0
    WHERE i.image IS NOT NULL AND NOT EXISTS (
      SELECT FROM messages m WHERE m.conversation_id = i.image ->> 'conversation_id' AND m.ts = (i.image ->> 'ts')::bigint)
    ON CONFLICT DO NOTHING;
  END IF;
  FOR t IN SELECT * FROM sandbox_tables s WHERE s.owner IS NOT NULL AND s.name = ANY (changed) ORDER BY s.position LOOP
    PERFORM sandbox_remove_made_again(t, tenant, since);
    PERFORM sandbox_put_back(t, tenant, since, may_swap);
  END LOOP;
END $$;

-- As before. Where images stay, which it answers, a new epoch begins, so that those of this one can be thinned out.
DROP FUNCTION sandbox_restore(bigint, integer);
CREATE FUNCTION sandbox_restore(tenant bigint, since integer) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  now_at integer := (SELECT epoch FROM sandboxes WHERE tenant_id = tenant);
  is_last boolean := NOT EXISTS (SELECT FROM unnest(sandbox_starts(tenant)) s WHERE s > since);
  known bigint := -1;
  found bigint;
BEGIN
  PERFORM set_config('understudy.resetting', tenant::text, true);
  SET CONSTRAINTS ALL DEFERRED;
  -- later snapshots need what the reset itself changes
  IF is_last THEN
    BEGIN
      -- nothing is tracked in a sandbox without an epoch; nobody else sees it so
      UPDATE sandboxes SET epoch = 0 WHERE tenant_id = tenant;
      PERFORM sandbox_restore_rows(tenant, since, false);
      UPDATE sandboxes SET epoch = now_at WHERE tenant_id = tenant;
      DELETE FROM sandbox_undo WHERE tenant_id = tenant AND epoch >= since;
      SET CONSTRAINTS ALL IMMEDIATE;
      RETURN false;
    EXCEPTION WHEN unique_violation THEN
      -- names were swapped: rows without images will go along with others, so that images are needed, as below
      NULL;
    END;
  END IF;
  FOR attempt IN 1..4 LOOP
    SELECT count(*) INTO found FROM sandbox_undo WHERE tenant_id = tenant AND epoch >= since;
    -- what was put back may have taken other rows with it, which are known now
    EXIT WHEN found = known;
    known := found;
    PERFORM sandbox_restore_rows(tenant, since, true);
  END LOOP;
  SET CONSTRAINTS ALL IMMEDIATE;
  IF is_last THEN
    DELETE FROM sandbox_undo WHERE tenant_id = tenant AND epoch >= since;
  ELSE
    UPDATE sandboxes SET epoch = epoch + 1 WHERE tenant_id = tenant;
  END IF;
  RETURN NOT is_last;
END $$;
