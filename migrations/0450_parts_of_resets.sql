-- What a reset does to the tables of a product is a function of that product.

-- Apps that are connected now hear of events though the rows are those of earlier; the connection's renewal goes on from there.
CREATE OR REPLACE FUNCTION chat_after_reset(tenant bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE event_targets t SET open_until = clock_timestamp() + interval '1 minute'
   WHERE t.tenant_id = tenant AND t.is_socket AND t.open_until IS NOT NULL
     AND EXISTS (SELECT FROM socket_connections c WHERE c.app_id = t.app_id AND c.lease_until > clock_timestamp());
END $$;

-- What of a workspace was there for a moment only, and which no reset puts back.
CREATE OR REPLACE FUNCTION chat_before_reset(workspace text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM response_urls WHERE workspace_id = workspace;
  DELETE FROM triggers WHERE workspace_id = workspace;
  DELETE FROM views WHERE workspace_id = workspace;
  DELETE FROM ephemeral_messages WHERE workspace_id = workspace;
  DELETE FROM assistant_threads WHERE workspace_id = workspace;
END $$;

CREATE OR REPLACE FUNCTION chat_has_account(account text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM users u WHERE u.id = account)
$$;

-- Joins that lead from a row `r` of the chat to its sandbox `s`; null: its owner is none of the chat's.
CREATE OR REPLACE FUNCTION chat_join(owner text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE owner
    WHEN 'workspace' THEN 'JOIN workspaces w ON w.id = r.workspace_id JOIN sandboxes s ON s.tenant_id = w.tenant_id'
    WHEN 'conversation' THEN 'JOIN conversations c ON c.id = r.conversation_id JOIN workspaces w ON w.id = c.workspace_id JOIN sandboxes s ON s.tenant_id = w.tenant_id'
  END
$$;

-- As `chat_join`, the other way: a condition on rows `r` of the tenant in parameter 1.
CREATE OR REPLACE FUNCTION chat_scope(owner text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE owner
    WHEN 'workspace' THEN 'r.workspace_id = (SELECT id FROM workspaces WHERE tenant_id = $1)'
    WHEN 'conversation' THEN 'r.conversation_id IN (SELECT c.id FROM conversations c JOIN workspaces w ON w.id = c.workspace_id WHERE w.tenant_id = $1)'
  END
$$;

CREATE OR REPLACE FUNCTION tracker_has_account(account text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM tracker_users u WHERE u.account_id = account)
$$;

-- Joins that lead from a row `r` of the tracker to its sandbox `s`; null: its owner is none of the tracker's.
CREATE OR REPLACE FUNCTION tracker_join(owner text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE owner
    WHEN 'organization' THEN 'JOIN organizations o ON o.id = r.organization_id JOIN sandboxes s ON s.tenant_id = o.tenant_id'
    WHEN 'issue' THEN 'JOIN issues i ON i.id = r.issue_id JOIN organizations o ON o.id = i.organization_id JOIN sandboxes s ON s.tenant_id = o.tenant_id'
    WHEN 'project' THEN 'JOIN projects p ON p.id = r.project_id JOIN organizations o ON o.id = p.organization_id JOIN sandboxes s ON s.tenant_id = o.tenant_id'
  END
$$;

-- As `tracker_join`, the other way: a condition on rows `r` of the tenant in parameter 1.
CREATE OR REPLACE FUNCTION tracker_scope(owner text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE owner
    WHEN 'organization' THEN 'r.organization_id = (SELECT id FROM organizations WHERE tenant_id = $1)'
    WHEN 'issue' THEN 'r.issue_id IN (SELECT i.id FROM issues i JOIN organizations o ON o.id = i.organization_id WHERE o.tenant_id = $1)'
    WHEN 'project' THEN 'r.project_id IN (SELECT p.id FROM projects p JOIN organizations o ON o.id = p.organization_id WHERE o.tenant_id = $1)'
  END
$$;

CREATE OR REPLACE FUNCTION tracker_set_sync_id(tenant bigint, sync_id bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE organizations SET last_sync_id = sync_id WHERE tenant_id = tenant;
END $$;

-- The number of the last change of a tenant's organization; null: it has none.
CREATE OR REPLACE FUNCTION tracker_sync_id(tenant bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT o.last_sync_id FROM organizations o WHERE o.tenant_id = tenant
$$;

-- What a snapshot keeps of the clock of a sandbox.
CREATE OR REPLACE FUNCTION sandbox_clock(s sandboxes) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('offset', s.clock_offset, 'frozenAt', s.clock_frozen_at, 'signWith', s.clock_sign_with, 'tickMs', s.clock_tick_ms,
    'syncId', tracker_sync_id(s.tenant_id))
$$;

-- Joins that lead from a row `r` to its sandbox `s`.
CREATE OR REPLACE FUNCTION sandbox_join(owner text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE owner
    WHEN 'tenant' THEN 'JOIN sandboxes s ON s.tenant_id = r.tenant_id'
    ELSE coalesce(chat_join(owner), tracker_join(owner))
  END
$$;

-- A whole reset in one call: a dozen statements would each wait for the event loop and for a core while others are at work.
-- Nothing where the sandbox has no such state (`baseline`, or a snapshot by id or name). The caller holds the sandbox's lock alone.
CREATE OR REPLACE FUNCTION sandbox_reset(tenant bigint, workspace text, state text) RETURNS TABLE (row_count bigint, leaves_images boolean)
  LANGUAGE plpgsql AS $$
DECLARE
  since integer;
  clock jsonb;
  people text[];
  repeats boolean;
BEGIN
  IF state = 'baseline' THEN
    SELECT s.baseline_epoch, s.baseline_rows, s.baseline_clock INTO since, row_count, clock FROM sandboxes s WHERE s.tenant_id = tenant;
  ELSE
    SELECT s.epoch, s.rows, s.clock INTO since, row_count, clock FROM snapshots s
     WHERE s.tenant_id = tenant AND (s.id = state OR s.name = state) ORDER BY s.created_at, s.id LIMIT 1;
  END IF;
  IF since IS NULL THEN RETURN; END IF;

  PERFORM chat_before_reset(workspace);
  DELETE FROM deliveries WHERE target_id IN (SELECT t.id FROM delivery_targets t WHERE t.tenant_id = tenant);
  DELETE FROM delivery_rules WHERE tenant_id = tenant;
  DELETE FROM faults WHERE tenant_id = tenant;
  UPDATE inboxes SET served = 0 WHERE tenant_id = tenant AND served <> 0;

  -- people who were not there, before the images that name them are forgotten
  SELECT array_agg(DISTINCT u.key::jsonb ->> 'id') INTO people FROM sandbox_undo u
   WHERE u.tenant_id = tenant AND u.tbl = 'users' AND u.epoch >= since AND u.image IS NULL;
  leaves_images := sandbox_restore(tenant, since);
  IF people IS NOT NULL THEN
    DELETE FROM accounts a WHERE a.id = ANY (people) AND NOT chat_has_account(a.id) AND NOT tracker_has_account(a.id);
  END IF;
  PERFORM chat_after_reset(tenant);

  IF row_count IS NULL THEN
    SELECT s.rows INTO row_count FROM sandbox_size(tenant) s;
  END IF;
  UPDATE sandboxes SET allowances = allowances + 1, clock_offset = (clock ->> 'offset')::bigint,
     clock_frozen_at = (clock ->> 'frozenAt')::bigint, clock_sign_with = coalesce(clock ->> 'signWith', 'wall'),
     clock_tick_ms = coalesce((clock ->> 'tickMs')::integer, 0),
     has_faults = false, has_delivery_rules = false, baseline_rows = CASE WHEN state = 'baseline' THEN row_count ELSE baseline_rows END
   WHERE tenant_id = tenant RETURNING deterministic INTO repeats;
  IF repeats AND clock ->> 'syncId' IS NOT NULL THEN
    -- one less, as the reset itself is recorded with the next number
    PERFORM tracker_set_sync_id(tenant, (clock ->> 'syncId')::bigint - 1);
  END IF;
  RETURN NEXT;
END $$;

-- As `sandbox_join`, the other way: a condition on rows `r` of the tenant in parameter 1.
CREATE OR REPLACE FUNCTION sandbox_scope(owner text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE owner WHEN 'tenant' THEN 'r.tenant_id = $1' ELSE coalesce(chat_scope(owner), tracker_scope(owner)) END
$$;
