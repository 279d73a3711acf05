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
