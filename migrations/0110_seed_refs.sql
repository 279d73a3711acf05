-- What documents called their messages, issues and webhooks: copies of snapshots and exports say it again.
CREATE TABLE seed_refs (
  tenant_id bigint NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  ref text NOT NULL,
  -- {"channel","ts"}, {"id","identifier"} or {"id"}
  thing jsonb NOT NULL,
  PRIMARY KEY (tenant_id, ref)
);
SELECT sandbox_track('seed_refs', 'tenant', ARRAY['tenant_id', 'ref']);
