-- A reset that no later snapshot looks back on keeps no images of what it does itself, so that one pass over the changed
-- tables is all; of each table only the statements run that have something to do.

-- Rows may hang on others of the same table, or of one that is put back later: whether they are there is asked in the end.
ALTER TABLE issue_labels ALTER CONSTRAINT issue_labels_parent_id_fkey DEFERRABLE;
ALTER TABLE projects ALTER CONSTRAINT projects_converted_from_issue_id_fkey DEFERRABLE;
ALTER TABLE issues ALTER CONSTRAINT issues_parent_id_fkey DEFERRABLE;
ALTER TABLE issues ALTER CONSTRAINT issues_source_comment_id_fkey DEFERRABLE;
ALTER TABLE comments ALTER CONSTRAINT comments_parent_id_fkey DEFERRABLE;
ALTER TABLE comments ALTER CONSTRAINT comments_resolving_comment_id_fkey DEFERRABLE;

DROP FUNCTION sandbox_put_back(sandbox_tables, bigint, integer);

-- Deletes the rows of a table that have images, and before them what would go along: as long as its parent is there, a row leads to
-- its tenant, so that an image of it is kept.
CREATE FUNCTION sandbox_take_out(t sandbox_tables, tenant bigint, since integer) RETURNS void LANGUAGE plpgsql AS $$
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

-- Those that changed are set, those that went come back.
-- @param may_swap where two rows have swapped a unique name, both are taken out first; what hangs on them is back after another pass
CREATE FUNCTION sandbox_put_back(t sandbox_tables, tenant bigint, since integer, may_swap boolean) RETURNS void
  LANGUAGE plpgsql AS $$
DECLARE
  same text := (SELECT string_agg(format('x.%1$I = k.%1$I', k), ' AND ') FROM unnest(t.keys) k);
  source text := format('sandbox_images($1, %1$L, $2) i CROSS JOIN LATERAL jsonb_populate_record(NULL::%1$I, i.image) k', t.name);
  -- a message newer than the snapshot may have an image too, of before its own change
  wanted text := CASE WHEN t.name <> 'messages' THEN '' ELSE
    'AND NOT EXISTS (SELECT FROM sandbox_images($1, ''conversations'', $2) c WHERE c.key::jsonb ->> ''id'' = k.conversation_id
       AND k.ts > coalesce((c.image ->> ''last_ts'')::bigint, -1))' END;
  sets text;
  cols text;
  vals text;
  before bigint;
  there bigint := 0;
BEGIN
  SELECT string_agg(format('%I', a.attname), ', ' ORDER BY a.attnum),
         string_agg(format('k.%I', a.attname), ', ' ORDER BY a.attnum),
         string_agg(format('%1$I = ', a.attname) || CASE
             WHEN t.name = 'conversations' AND a.attname = 'last_ts' THEN 'greatest(x.last_ts, k.last_ts)'
             WHEN t.name = 'conversations' AND a.attname = 'members_version' THEN 'x.members_version + 1'
             ELSE format('k.%I', a.attname) END, ', ' ORDER BY a.attnum)
           FILTER (WHERE a.attidentity = '' AND a.attname <> ALL (t.keys || t.keep))
    INTO cols, vals, sets
    FROM pg_attribute a
   WHERE a.attrelid = t.name::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '';
  SELECT count(*) INTO before FROM sandbox_images(tenant, t.name, since) i WHERE i.image IS NOT NULL;
  IF sets IS NOT NULL THEN
    BEGIN
      EXECUTE format('UPDATE %I x SET %s FROM %s WHERE i.image IS NOT NULL AND %s %s', t.name, sets, source, same, wanted)
        USING tenant, since;
      GET DIAGNOSTICS there = ROW_COUNT;
    EXCEPTION WHEN unique_violation THEN
      IF NOT may_swap THEN RAISE; END IF;
      PERFORM sandbox_take_out(t, tenant, since);
    END;
  END IF;
  IF there < before THEN
    EXECUTE format('INSERT INTO %I (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM %s
      WHERE i.image IS NOT NULL AND NOT EXISTS (SELECT FROM %I x WHERE %s) %s', t.name, cols, vals, source, t.name, same, wanted)
      USING tenant, since;
  END IF;
  IF t.name = 'messages' THEN
    INSERT INTO message_search (conversation_id, ts, workspace_id, author, folded)
    SELECT m.conversation_id, m.ts, c.workspace_id, coalesce(m.user_id, m.bot_id, ''), lower(m.text)
    FROM sandbox_images(tenant, 'messages', since) i
    JOIN messages m ON m.conversation_id = i.key::jsonb ->> 'conversation_id' AND m.ts = (i.key::jsonb ->> 'ts')::bigint
    JOIN conversations c ON c.id = m.conversation_id WHERE is_searchable(m.subtype)
    ON CONFLICT DO NOTHING;
    INSERT INTO message_facets (conversation_id, ts, facet, workspace_id)
    SELECT s.conversation_id, s.ts, f.facet, s.workspace_id
    FROM sandbox_images(tenant, 'messages', since) i
    JOIN message_search s ON s.conversation_id = i.key::jsonb ->> 'conversation_id' AND s.ts = (i.key::jsonb ->> 'ts')::bigint
    JOIN LATERAL (
      SELECT 'thread' AS facet FROM messages m
      WHERE m.conversation_id = s.conversation_id AND m.ts = s.ts AND (m.thread_ts IS NOT NULL OR m.reply_count > 0)
      UNION SELECT 'reaction' FROM reactions r WHERE r.conversation_id = s.conversation_id AND r.ts = s.ts
      UNION SELECT ':' || r.name || ':' FROM reactions r WHERE r.conversation_id = s.conversation_id AND r.ts = s.ts) f ON true
    ON CONFLICT DO NOTHING;
  END IF;
END $$;

-- One pass over the tables that changed: what is new goes, children first; then the rest is put back, parents first.
CREATE FUNCTION sandbox_restore_rows(tenant bigint, since integer, may_swap boolean) RETURNS void LANGUAGE plpgsql AS $$
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
  FOR t IN SELECT * FROM sandbox_tables s WHERE s.owner IS NOT NULL AND s.name = ANY (changed) ORDER BY s.position LOOP
    PERFORM sandbox_put_back(t, tenant, since, may_swap);
  END LOOP;
END $$;

-- Everything of a tenant as it was when an epoch began. The caller holds the sandbox's lock alone.
CREATE OR REPLACE FUNCTION sandbox_restore(tenant bigint, since integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  now_at integer := (SELECT epoch FROM sandboxes WHERE tenant_id = tenant);
  known bigint := -1;
  found bigint;
BEGIN
  PERFORM set_config('understudy.resetting', tenant::text, true);
  SET CONSTRAINTS ALL DEFERRED;
  -- later snapshots need what the reset itself changes
  IF NOT EXISTS (SELECT FROM snapshots s WHERE s.tenant_id = tenant AND s.epoch > since)
     AND NOT EXISTS (SELECT FROM sandboxes s WHERE s.tenant_id = tenant AND s.baseline_epoch > since) THEN
    BEGIN
      -- nothing is tracked in a sandbox without an epoch; nobody else sees it so
      UPDATE sandboxes SET epoch = 0 WHERE tenant_id = tenant;
      PERFORM sandbox_restore_rows(tenant, since, false);
      UPDATE sandboxes SET epoch = now_at WHERE tenant_id = tenant;
      DELETE FROM sandbox_undo WHERE tenant_id = tenant AND epoch >= since;
      SET CONSTRAINTS ALL IMMEDIATE;
      RETURN;
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
  IF NOT EXISTS (SELECT FROM snapshots s WHERE s.tenant_id = tenant AND s.epoch > since)
     AND NOT EXISTS (SELECT FROM sandboxes s WHERE s.tenant_id = tenant AND s.baseline_epoch > since) THEN
    DELETE FROM sandbox_undo WHERE tenant_id = tenant AND epoch >= since;
  END IF;
END $$;
