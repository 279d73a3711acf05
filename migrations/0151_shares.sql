-- Tenants that one account makes for itself share what the server gives a tenant at once: connections to the store, places
-- for deliveries. `share_id` is the first of them; null for the first itself and for what operators make.
ALTER TABLE tenants ADD COLUMN maker text, ADD COLUMN share_id bigint;
CREATE INDEX tenants_of_maker ON tenants (maker, id) WHERE maker IS NOT NULL;
CREATE INDEX tenants_with_share ON tenants (id) WHERE share_id IS NOT NULL;
