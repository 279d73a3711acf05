-- What a sandbox was like before it changed: the first image of each row since the sandbox's latest snapshot, kept by
-- triggers. A snapshot is a number (an epoch), and a reset costs what was changed, not what is there.
--
-- A table that holds rows of tenants is declared with one line, in the migration that makes it (or in a later one):
--   SELECT sandbox_track('pins', 'workspace', ARRAY['id']);
-- or, where a reset needs no rows of it (queues, caches, what follows from others, what outlives a reset):
--   SELECT sandbox_leave('deliveries', 'dropped by a reset');
-- Tables come after those they refer to. A spec compares both lists with the schema: test/sandbox/tracked-tables.spec.ts.

ALTER TABLE sandboxes
  -- counts snapshots; images are kept under the epoch in which a row first changed. 0: nothing is tracked
  ADD COLUMN epoch integer NOT NULL DEFAULT 0,
  -- null: there is none
  ADD COLUMN baseline_epoch integer,
  ADD COLUMN baseline_rows bigint,
  ADD COLUMN baseline_clock jsonb,
  -- when the last reset had committed: a transaction that is older begins again
  ADD COLUMN reset_at timestamptz NOT NULL DEFAULT '-infinity';

-- Control tokens of sandboxes that are gone: they answer account_inactive.
CREATE TABLE ended_control_tokens (
  hash text COLLATE "C" PRIMARY KEY,
  ended_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE snapshots (
  id text COLLATE "C" PRIMARY KEY DEFAULT new_public_id('Sn'),
  tenant_id bigint NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  name text NOT NULL,
  epoch integer NOT NULL,
  rows bigint NOT NULL,
  bytes bigint NOT NULL,
  clock jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX snapshots_name ON snapshots (tenant_id, name);

CREATE TABLE sandbox_undo (
  tenant_id bigint NOT NULL,
  tbl text COLLATE "C" NOT NULL,
  -- the row's primary key as a JSON object
  key text COLLATE "C" NOT NULL,
  epoch integer NOT NULL,
  -- the row as it was; null: there was none
  image jsonb,
  PRIMARY KEY (tenant_id, tbl, key, epoch)
);

-- Which tables hold rows of tenants, how a row leads to its tenant, and in which order they are put back.
CREATE TABLE sandbox_tables (
  name text COLLATE "C" PRIMARY KEY,
  position integer GENERATED ALWAYS AS IDENTITY,
  -- null: not tracked, for the reason given
  owner text COLLATE "C" CHECK (owner IN ('tenant', 'workspace', 'conversation', 'organization', 'issue', 'project')),
  keys text[] NOT NULL DEFAULT '{}',
  -- columns that go their own way: changes of them alone are not kept, and a reset leaves them
  keep text[] NOT NULL DEFAULT '{}',
  reason text
);

-- Joins that lead from a row `r` to its sandbox `s`.
CREATE FUNCTION sandbox_join(owner text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE owner
    WHEN 'tenant' THEN 'JOIN sandboxes s ON s.tenant_id = r.tenant_id'
    WHEN 'workspace' THEN 'JOIN workspaces w ON w.id = r.workspace_id JOIN sandboxes s ON s.tenant_id = w.tenant_id'
    WHEN 'conversation' THEN 'JOIN conversations c ON c.id = r.conversation_id JOIN workspaces w ON w.id = c.workspace_id JOIN sandboxes s ON s.tenant_id = w.tenant_id'
    WHEN 'organization' THEN 'JOIN organizations o ON o.id = r.organization_id JOIN sandboxes s ON s.tenant_id = o.tenant_id'
    WHEN 'issue' THEN 'JOIN issues i ON i.id = r.issue_id JOIN organizations o ON o.id = i.organization_id JOIN sandboxes s ON s.tenant_id = o.tenant_id'
    WHEN 'project' THEN 'JOIN projects p ON p.id = r.project_id JOIN organizations o ON o.id = p.organization_id JOIN sandboxes s ON s.tenant_id = o.tenant_id'
  END
$$;

-- The other way: a condition on rows `r` of the tenant in parameter 1.
CREATE FUNCTION sandbox_scope(owner text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE owner
    WHEN 'tenant' THEN 'r.tenant_id = $1'
    WHEN 'workspace' THEN 'r.workspace_id = (SELECT id FROM workspaces WHERE tenant_id = $1)'
    WHEN 'conversation' THEN 'r.conversation_id IN (SELECT c.id FROM conversations c JOIN workspaces w ON w.id = c.workspace_id WHERE w.tenant_id = $1)'
    WHEN 'organization' THEN 'r.organization_id = (SELECT id FROM organizations WHERE tenant_id = $1)'
    WHEN 'issue' THEN 'r.issue_id IN (SELECT i.id FROM issues i JOIN organizations o ON o.id = i.organization_id WHERE o.tenant_id = $1)'
    WHEN 'project' THEN 'r.project_id IN (SELECT p.id FROM projects p JOIN organizations o ON o.id = p.organization_id WHERE o.tenant_id = $1)'
  END
$$;

-- A write takes part in its sandbox until it commits. While a reset is at it, it fails as a serialization failure does:
-- whoever wrote waits for the reset (kernel/database/db.ts) and begins again against the restored rows.
CREATE FUNCTION sandbox_enter(tenant bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT pg_try_advisory_xact_lock_shared(7430240, tenant::integer) THEN
    RAISE EXCEPTION 'the sandbox is being reset' USING ERRCODE = '40001', DETAIL = 'sandbox ' || tenant;
  END IF;
END $$;

-- The epoch, unless the transaction began before the last reset was through: it may have read what is no more.
CREATE FUNCTION sandbox_epoch(tenant bigint, epoch integer, reset_at timestamptz) RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
  IF reset_at > transaction_timestamp() AND current_setting('understudy.resetting', true) IS DISTINCT FROM tenant::text THEN
    RAISE EXCEPTION 'the sandbox was reset' USING ERRCODE = '40001', DETAIL = 'sandbox ' || tenant;
  END IF;
  RETURN epoch;
END $$;

CREATE FUNCTION sandbox_leave(tbl text, why text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO sandbox_tables (name, reason) VALUES (tbl, why) ON CONFLICT (name) DO NOTHING
$$;

-- @param inserts false where new rows are found in another way (messages: by the conversation's counter)
CREATE FUNCTION sandbox_track(tbl text, owner text, keys text[], keep text[] DEFAULT '{}', inserts boolean DEFAULT true)
  RETURNS void LANGUAGE plpgsql AS $fn$
DECLARE
  joins text := sandbox_join(owner);
  key text := (SELECT 'jsonb_build_object(' || string_agg(format('%L, r.%I', k, k), ', ') || ')::text' FROM unnest(keys) k);
  same text := (SELECT string_agg(format('n.%I = r.%I', k, k), ' AND ') FROM unnest(keys) k);
  really text := CASE WHEN keep = '{}' THEN '' ELSE format(
    'AND NOT EXISTS (SELECT FROM new_rows n WHERE %s AND to_jsonb(n) - %L::text[] = to_jsonb(r) - %L::text[])', same, keep, keep) END;
BEGIN
  INSERT INTO sandbox_tables (name, owner, keys, keep) VALUES (tbl, owner, keys, keep);
  EXECUTE format($f$
    CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $t$
    BEGIN
      PERFORM sandbox_enter(t.tenant_id) FROM (
        SELECT DISTINCT s.tenant_id FROM new_rows r %s WHERE s.epoch > 0) t;
      IF NOT FOUND THEN RETURN NULL; END IF;
      INSERT INTO sandbox_undo (tenant_id, tbl, key, epoch)
      SELECT s.tenant_id, %L, %s, sandbox_epoch(s.tenant_id, s.epoch, s.reset_at) FROM new_rows r %s WHERE s.epoch > 0
      ON CONFLICT DO NOTHING;
      RETURN NULL;
    END $t$ $f$, 'track_new_' || tbl, joins, tbl, key, joins);
  EXECUTE format($f$
    CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $t$
    BEGIN
      PERFORM sandbox_enter(t.tenant_id) FROM (
        SELECT DISTINCT s.tenant_id FROM old_rows r %s WHERE s.epoch > 0) t;
      IF NOT FOUND THEN RETURN NULL; END IF;
      INSERT INTO sandbox_undo (tenant_id, tbl, key, epoch, image)
      SELECT s.tenant_id, %L, %s, sandbox_epoch(s.tenant_id, s.epoch, s.reset_at), to_jsonb(r) FROM old_rows r %s
      WHERE s.epoch > 0 AND NOT EXISTS (
        SELECT FROM sandbox_undo u WHERE u.tenant_id = s.tenant_id AND u.tbl = %L AND u.key = %s AND u.epoch = s.epoch)
      ON CONFLICT DO NOTHING;
      RETURN NULL;
    END $t$ $f$, 'track_old_' || tbl, joins, tbl, key, joins, tbl, key);
  IF keep <> '{}' THEN
    EXECUTE format($f$
      CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $t$
      BEGIN
        PERFORM sandbox_enter(t.tenant_id) FROM (
          SELECT DISTINCT s.tenant_id FROM old_rows r %s WHERE s.epoch > 0 %s) t;
        IF NOT FOUND THEN RETURN NULL; END IF;
        INSERT INTO sandbox_undo (tenant_id, tbl, key, epoch, image)
        SELECT s.tenant_id, %L, %s, sandbox_epoch(s.tenant_id, s.epoch, s.reset_at), to_jsonb(r) FROM old_rows r %s
        WHERE s.epoch > 0 %s
        ON CONFLICT DO NOTHING;
        RETURN NULL;
      END $t$ $f$, 'track_changed_' || tbl, joins, really, tbl, key, joins, really);
  END IF;
  IF inserts THEN
    EXECUTE format('CREATE TRIGGER track_new AFTER INSERT ON %I REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION %I()',
      tbl, 'track_new_' || tbl);
  END IF;
  EXECUTE format('CREATE TRIGGER track_changed AFTER UPDATE ON %I REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION %I()',
    tbl, CASE WHEN keep = '{}' THEN 'track_old_' ELSE 'track_changed_' END || tbl);
  EXECUTE format('CREATE TRIGGER track_gone AFTER DELETE ON %I REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION %I()',
    tbl, 'track_old_' || tbl);
END $fn$;

-- The first image of each row of a table that changed since an epoch.
CREATE FUNCTION sandbox_images(tenant bigint, of_table text, since integer) RETURNS TABLE (key text, image jsonb)
  LANGUAGE sql STABLE ROWS 50 AS $$
  SELECT DISTINCT ON (u.key) u.key, u.image FROM sandbox_undo u
  WHERE u.tenant_id = tenant AND u.tbl = of_table AND u.epoch >= since ORDER BY u.key, u.epoch
$$;

-- What a restored row takes over: all columns but the key, those that go their own way and those the database makes.
CREATE FUNCTION sandbox_columns(tbl text, without text[]) RETURNS SETOF text LANGUAGE sql STABLE AS $$
  SELECT a.attname::text FROM pg_attribute a
  WHERE a.attrelid = tbl::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    AND NOT (a.attname = ANY(without))
  ORDER BY a.attnum
$$;

-- Puts the rows of one table back: those that were not there go, those that changed are set, those that went come back.
CREATE FUNCTION sandbox_remove_new(t sandbox_tables, tenant bigint, since integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  same text := (SELECT string_agg(format('x.%I = k.%I', k, k), ' AND ') FROM unnest(t.keys) k);
BEGIN
  IF t.name = 'messages' THEN
    DELETE FROM messages m USING sandbox_images(tenant, 'conversations', since) i
    WHERE m.conversation_id = i.key::jsonb ->> 'id' AND m.ts > coalesce((i.image ->> 'last_ts')::bigint, -1);
    RETURN;
  END IF;
  EXECUTE format('DELETE FROM %1$I x USING sandbox_images($1, %1$L, $2) i
    CROSS JOIN LATERAL jsonb_populate_record(NULL::%1$I, i.key::jsonb) k WHERE i.image IS NULL AND %2$s', t.name, same)
    USING tenant, since;
END $$;

CREATE FUNCTION sandbox_put_back(t sandbox_tables, tenant bigint, since integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  same text := (SELECT string_agg(format('x.%I = k.%I', k, k), ' AND ') FROM unnest(t.keys) k);
  sets text := (SELECT string_agg(format('%1$I = ', c) || CASE
      WHEN t.name = 'conversations' AND c = 'last_ts' THEN 'greatest(x.last_ts, k.last_ts)'
      WHEN t.name = 'conversations' AND c = 'members_version' THEN 'x.members_version + 1'
      ELSE format('k.%I', c) END, ', ')
    FROM sandbox_columns(t.name, t.keys || t.keep) c
    WHERE NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = t.name::regclass AND a.attname = c AND a.attidentity <> ''));
  cols text := (SELECT string_agg(format('%I', c), ', ') FROM sandbox_columns(t.name, '{}') c);
  vals text := (SELECT string_agg(format('k.%I', c), ', ') FROM sandbox_columns(t.name, '{}') c);
  -- a message newer than the snapshot may have an image too, of before its own change
  wanted text := CASE WHEN t.name <> 'messages' THEN '' ELSE
    'AND NOT EXISTS (SELECT FROM sandbox_images($1, ''conversations'', $2) c WHERE c.key::jsonb ->> ''id'' = k.conversation_id
       AND k.ts > coalesce((c.image ->> ''last_ts'')::bigint, -1))' END;
  source text := format('sandbox_images($1, %1$L, $2) i CROSS JOIN LATERAL jsonb_populate_record(NULL::%1$I, i.image) k', t.name);
BEGIN
  IF sets IS NOT NULL THEN
    BEGIN
      EXECUTE format('UPDATE %I x SET %s FROM %s WHERE i.image IS NOT NULL AND %s %s', t.name, sets, source, same, wanted)
        USING tenant, since;
    EXCEPTION WHEN unique_violation THEN
      -- two of them swapped names: both go first
      EXECUTE format('DELETE FROM %I x USING %s WHERE i.image IS NOT NULL AND %s', t.name, source, same) USING tenant, since;
    END;
  END IF;
  EXECUTE format('INSERT INTO %I (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM %s
    WHERE i.image IS NOT NULL AND NOT EXISTS (SELECT FROM %I x WHERE %s) %s', t.name, cols, vals, source, t.name, same, wanted)
    USING tenant, since;
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

-- Everything of a tenant as it was when an epoch began. The caller holds the sandbox's lock alone.
CREATE FUNCTION sandbox_restore(tenant bigint, since integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  t sandbox_tables;
  known bigint := -1;
  found bigint;
BEGIN
  PERFORM set_config('understudy.resetting', tenant::text, true);
  FOR attempt IN 1..4 LOOP
    SELECT count(*) INTO found FROM sandbox_undo WHERE tenant_id = tenant AND epoch >= since;
    -- what was put back may have taken other rows with it, which are known now
    EXIT WHEN found = known;
    known := found;
    FOR t IN SELECT * FROM sandbox_tables s WHERE s.owner IS NOT NULL AND EXISTS (
      SELECT FROM sandbox_undo u WHERE u.tenant_id = tenant AND u.tbl IN (s.name, CASE s.name WHEN 'messages' THEN 'conversations' END)
        AND u.epoch >= since) ORDER BY s.position DESC
    LOOP
      PERFORM sandbox_remove_new(t, tenant, since);
    END LOOP;
    FOR t IN SELECT * FROM sandbox_tables s WHERE s.owner IS NOT NULL AND EXISTS (
      SELECT FROM sandbox_undo u WHERE u.tenant_id = tenant AND u.tbl = s.name AND u.epoch >= since) ORDER BY s.position
    LOOP
      PERFORM sandbox_put_back(t, tenant, since);
    END LOOP;
  END LOOP;
  -- later snapshots need what the reset itself changed; without any, the images say nothing any more
  IF NOT EXISTS (SELECT FROM snapshots s WHERE s.tenant_id = tenant AND s.epoch > since)
     AND NOT EXISTS (SELECT FROM sandboxes s WHERE s.tenant_id = tenant AND s.baseline_epoch > since) THEN
    DELETE FROM sandbox_undo WHERE tenant_id = tenant AND epoch >= since;
  END IF;
END $$;

-- How many rows a tenant has, and their size.
CREATE FUNCTION sandbox_size(tenant bigint) RETURNS TABLE (rows bigint, bytes bigint) LANGUAGE plpgsql STABLE AS $$
DECLARE
  t sandbox_tables;
  n bigint;
  b bigint;
BEGIN
  rows := 0;
  bytes := 0;
  FOR t IN SELECT * FROM sandbox_tables s WHERE s.owner IS NOT NULL LOOP
    EXECUTE format('SELECT count(*), coalesce(sum(pg_column_size(r.*)), 0) FROM %I r WHERE %s', t.name, sandbox_scope(t.owner))
      INTO n, b USING tenant;
    rows := rows + n;
    bytes := bytes + b;
  END LOOP;
  RETURN NEXT;
END $$;

SELECT sandbox_track('workspaces', 'tenant', ARRAY['id']);
SELECT sandbox_track('users', 'workspace', ARRAY['workspace_id', 'id']);
SELECT sandbox_track('apps', 'workspace', ARRAY['id']);
SELECT sandbox_track('tokens', 'workspace', ARRAY['hash']);
SELECT sandbox_track('conversations', 'workspace', ARRAY['id']);
SELECT sandbox_track('members', 'conversation', ARRAY['conversation_id', 'user_id']);
SELECT sandbox_track('messages', 'conversation', ARRAY['conversation_id', 'ts'], inserts => false);
SELECT sandbox_track('thread_repliers', 'conversation', ARRAY['conversation_id', 'thread_ts', 'replier']);
SELECT sandbox_track('reactions', 'conversation', ARRAY['conversation_id', 'ts', 'name', 'user_id']);
SELECT sandbox_track('delivery_targets', 'tenant', ARRAY['id'], ARRAY['last_status', 'exhausted_in_row', 'lane_owner', 'lane_until']);
SELECT sandbox_track('event_targets', 'tenant', ARRAY['id']);
SELECT sandbox_track('incoming_webhooks', 'workspace', ARRAY['id']);
SELECT sandbox_track('slash_commands', 'workspace', ARRAY['id']);
SELECT sandbox_track('organizations', 'tenant', ARRAY['id'], ARRAY['last_sync_id']);
SELECT sandbox_track('organization_url_keys', 'organization', ARRAY['url_key']);
SELECT sandbox_track('tracker_users', 'organization', ARRAY['id'], ARRAY['last_seen']);
SELECT sandbox_track('teams', 'organization', ARRAY['id']);
SELECT sandbox_track('team_memberships', 'organization', ARRAY['id']);
SELECT sandbox_track('workflow_states', 'organization', ARRAY['id']);
SELECT sandbox_track('issue_labels', 'organization', ARRAY['id']);
SELECT sandbox_track('project_statuses', 'organization', ARRAY['id']);
SELECT sandbox_track('projects', 'organization', ARRAY['id']);
SELECT sandbox_track('project_teams', 'project', ARRAY['project_id', 'team_id']);
SELECT sandbox_track('project_members', 'project', ARRAY['project_id', 'user_id']);
SELECT sandbox_track('cycles', 'organization', ARRAY['id']);
SELECT sandbox_track('issues', 'organization', ARRAY['id']);
SELECT sandbox_track('issue_subscribers', 'issue', ARRAY['issue_id', 'user_id']);
SELECT sandbox_track('comments', 'organization', ARRAY['id']);
SELECT sandbox_track('api_keys', 'organization', ARRAY['id'], ARRAY['last_used_at']);
SELECT sandbox_track('tracker_webhooks', 'organization', ARRAY['id']);

-- The rows of these go with their parent, which then no longer leads them to their tenant.
CREATE FUNCTION track_children_of_issue() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM issue_subscribers WHERE issue_id = OLD.id;
  RETURN OLD;
END $$;
CREATE TRIGGER track_children BEFORE DELETE ON issues FOR EACH ROW EXECUTE FUNCTION track_children_of_issue();
CREATE FUNCTION track_children_of_project() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM project_teams WHERE project_id = OLD.id;
  DELETE FROM project_members WHERE project_id = OLD.id;
  RETURN OLD;
END $$;
CREATE TRIGGER track_children BEFORE DELETE ON projects FOR EACH ROW EXECUTE FUNCTION track_children_of_project();

SELECT sandbox_leave(name, why) FROM (VALUES
  ('tenants', 'the root itself'), ('sandboxes', 'what is set about a sandbox outlives a reset'),
  ('snapshots', 'outlive a reset'), ('sandbox_undo', 'the images'), ('sandbox_tables', 'this list'),
  ('ended_control_tokens', 'of no tenant'), ('accounts', 'of no tenant; those that only new rows used go with them'),
  ('sessions', 'sign-ins of people who are there outlive a reset'), ('spent_refresh_tokens', 'sign-ins'),
  ('instance_values', 'of no tenant'), ('migrations', 'of no tenant'), ('events', 'the log only grows'),
  ('deliveries', 'dropped by a reset'), ('delivery_counts', 'figures of the engine'),
  ('response_urls', 'dropped by a reset'), ('message_search', 'follows messages'), ('message_facets', 'follows messages'),
  ('rate_windows', 'a reset gives allowances other keys'), ('rate_buckets', 'a reset gives allowances other keys')) l (name, why);
