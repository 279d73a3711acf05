-- Whoever makes a workspace makes a sandbox; who knows more about it writes the row first.
CREATE OR REPLACE FUNCTION sandbox_of_workspace() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO sandboxes (tenant_id, origin) VALUES (NEW.tenant_id, CASE WHEN NEW.is_default THEN 'default' ELSE 'provisioned' END)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
