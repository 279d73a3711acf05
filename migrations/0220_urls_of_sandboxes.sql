-- Which forms URLs have that are given out in a sandbox: this server's, or the vendors'.

ALTER TABLE sandboxes ADD COLUMN urls text COLLATE "C" NOT NULL DEFAULT 'server',
  ADD CONSTRAINT sandboxes_urls_check CHECK (urls IN ('server', 'vendor'));

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
  || '","faults":' || has_faults::text || ',"rules":' || has_delivery_rules::text || '}') STORED;
