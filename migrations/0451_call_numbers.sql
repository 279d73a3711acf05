-- How many calls of a sandbox may have made ids stands beside its clock: the rows of a workspace are tracked, which costs
-- each call more than the number itself.

ALTER TABLE sandboxes ADD COLUMN id_draws bigint NOT NULL DEFAULT 0;
UPDATE sandboxes s SET id_draws = w.id_draws FROM workspaces w WHERE w.tenant_id = s.tenant_id AND w.id_draws IS NOT NULL;

-- What it was when an epoch began: that of the first image since, or the one of now.
UPDATE snapshots n SET clock = n.clock || jsonb_build_object('draws', coalesce(
  (SELECT coalesce((u.image ->> 'id_draws')::bigint, 0) FROM sandbox_undo u
    WHERE u.tenant_id = n.tenant_id AND u.tbl = 'workspaces' AND u.epoch >= n.epoch AND u.image IS NOT NULL ORDER BY u.epoch LIMIT 1),
  s.id_draws))
FROM sandboxes s WHERE s.tenant_id = n.tenant_id;
UPDATE sandboxes s SET baseline_clock = s.baseline_clock || jsonb_build_object('draws', coalesce(
  (SELECT coalesce((u.image ->> 'id_draws')::bigint, 0) FROM sandbox_undo u
    WHERE u.tenant_id = s.tenant_id AND u.tbl = 'workspaces' AND u.epoch >= s.baseline_epoch AND u.image IS NOT NULL ORDER BY u.epoch LIMIT 1),
  s.id_draws))
WHERE s.baseline_epoch IS NOT NULL;
UPDATE pools p SET clock = p.clock || jsonb_build_object('draws', coalesce(
  (SELECT s.id_draws FROM sandboxes s WHERE s.pool_id = p.id AND s.pool_role = 'template'), 0));

-- Servers of the release before number calls, and begin copies, at the workspace: the sandbox counts theirs as well. Goes with
-- `workspaces.id_draws` in a later release.
CREATE OR REPLACE FUNCTION chat_numbered_before() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE sandboxes SET id_draws = NEW.id_draws WHERE tenant_id = NEW.tenant_id;
  ELSE
    UPDATE sandboxes SET id_draws = id_draws + NEW.id_draws - coalesce(OLD.id_draws, 0)
     WHERE tenant_id = NEW.tenant_id RETURNING id_draws INTO NEW.id_draws;
  END IF;
  RETURN NEW;
END $$;
-- after `sandbox_of_workspace`, which makes the sandbox: triggers fire in the order of their names
CREATE TRIGGER zz_numbered_before AFTER INSERT ON workspaces FOR EACH ROW WHEN (NEW.id_draws IS NOT NULL)
  EXECUTE FUNCTION chat_numbered_before();
CREATE TRIGGER numbered_before BEFORE UPDATE OF id_draws ON workspaces FOR EACH ROW WHEN (NEW.id_draws > coalesce(OLD.id_draws, 0))
  EXECUTE FUNCTION chat_numbered_before();

-- It also says whether apps went.
DROP FUNCTION sandbox_reset(bigint, text, text);

-- What a snapshot keeps of the clock of a sandbox, with the numbers of its last call and of its organization's last change.
CREATE OR REPLACE FUNCTION sandbox_clock(s sandboxes) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('offset', s.clock_offset, 'frozenAt', s.clock_frozen_at, 'signWith', s.clock_sign_with, 'tickMs', s.clock_tick_ms,
    'draws', s.id_draws, 'syncId', tracker_sync_id(s.tenant_id))
$$;

-- A whole reset in one call: a dozen statements would each wait for the event loop and for a core while others are at work.
-- Nothing where the sandbox has no such state (`baseline`, or a snapshot by id or name). The caller holds the sandbox's lock alone.
CREATE OR REPLACE FUNCTION sandbox_reset(tenant bigint, workspace text, state text) RETURNS TABLE (row_count bigint, leaves_images boolean, takes_apps boolean)
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
  takes_apps := EXISTS (SELECT FROM sandbox_undo u
   WHERE u.tenant_id = tenant AND u.tbl IN ('apps', 'oauth_applications') AND u.epoch >= since AND u.image IS NULL);
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
     clock_tick_ms = coalesce((clock ->> 'tickMs')::integer, 0), id_draws = (clock ->> 'draws')::bigint,
     has_faults = false, has_delivery_rules = false, baseline_rows = CASE WHEN state = 'baseline' THEN row_count ELSE baseline_rows END
   WHERE tenant_id = tenant RETURNING deterministic INTO repeats;
  IF repeats AND clock ->> 'syncId' IS NOT NULL THEN
    -- one less, as the reset itself is recorded with the next number
    PERFORM tracker_set_sync_id(tenant, (clock ->> 'syncId')::bigint - 1);
  END IF;
  RETURN NEXT;
END $$;
