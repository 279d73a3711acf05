-- Sandboxes whose ids mean something in them alone (docs/decisions/equal-forks.md). What is stored has ids of its own
-- all the same; the number says how callers' ids and stored ids become each other.

CREATE SEQUENCE id_keys;

ALTER TABLE sandboxes
  -- null: the ids are the server's
  ADD COLUMN id_key bigint,
  -- what new ids are derived from, together with the number of the call that makes them
  ADD COLUMN random_seed bigint NOT NULL DEFAULT 1;

ALTER TABLE sandboxes DROP COLUMN flags;
ALTER TABLE sandboxes ADD COLUMN flags text GENERATED ALWAYS AS (
  '{"id":"' || id || '","tenantId":' || tenant_id::text || ',"origin":"' || origin
  || '","journal":' || coalesce(journal::text, 'null')
  || ',"methods":' || coalesce('"' || methods || '"', 'null')
  || ',"multiplier":' || coalesce(rate_limit_multiplier::text, 'null')
  || ',"missingScopeStatus":' || coalesce(missing_scope_status::text, 'null')
  || ',"allowances":' || allowances::text
  || ',"offset":' || clock_offset::text || ',"frozenAt":' || coalesce(clock_frozen_at::text, 'null')
  || ',"signWith":"' || clock_sign_with || '","urls":"' || urls
  || '","faults":' || has_faults::text || ',"rules":' || has_delivery_rules::text
  || ',"ids":' || coalesce(id_key::text, 'null') || ',"seed":' || random_seed::text || '}') STORED;

-- Names that only one tenant can have do not bind those. Null is false: images of rows may be older than the column.
ALTER TABLE workspaces
  ADD COLUMN has_own_ids boolean,
  -- how many calls that may make ids there were: state, so that equal calls after a reset, or in a copy, make equal ids
  ADD COLUMN id_draws bigint;
DROP INDEX workspaces_domain;
CREATE UNIQUE INDEX workspaces_domain ON workspaces (domain) WHERE deleted_at IS NULL AND has_own_ids IS NOT TRUE;

ALTER TABLE organizations ADD COLUMN has_own_ids boolean;
ALTER TABLE organizations DROP CONSTRAINT organizations_url_key_key;
CREATE UNIQUE INDEX organizations_url_key ON organizations (url_key) WHERE has_own_ids IS NOT TRUE;

ALTER TABLE projects DROP CONSTRAINT projects_slug_id_key;
CREATE UNIQUE INDEX projects_slug ON projects (organization_id, slug_id);

-- A file that is public is found by its secret where its id does not name it.
CREATE INDEX files_public ON files (public_secret) WHERE public_secret IS NOT NULL;

-- A UUID v4 of a statement: the nth that a call draws, or a random one. `draw` is what it is derived from, a space and
-- what is added to its last part, as in kernel/ids/id-space.
CREATE FUNCTION drawn_uuid(draw text, n bigint) RETURNS uuid LANGUAGE sql VOLATILE AS $$
  SELECT CASE WHEN draw IS NULL THEN gen_random_uuid() ELSE (
    substr(d.hex, 1, 12) || '4' || substr(d.hex, 14, 3) || '8' || substr(d.hex, 18, 3) || lpad(to_hex(
      (('x' || lpad(substr(d.hex, 21, 12), 16, '0'))::bit(64)::bigint + split_part(draw, ' ', 2)::bigint) % 281474976710656), 12, '0')
    )::uuid END
  FROM (SELECT md5(split_part(draw, ' ', 1) || ':' || n::text) AS hex) d
$$;
