-- The request that caused an event: what a call did can be found by it. Null where no request did.
ALTER TABLE events ADD COLUMN cause text COLLATE "C";
-- A sandbox's events in order: its timeline takes up from where it was.
CREATE INDEX events_of_tenant ON events (tenant_id, id);
