-- Outgoing webhooks that an app made: they hear what its scopes and memberships allow, as its subscriptions do.
ALTER TABLE event_targets ADD COLUMN scoped_app_id text COLLATE "C";
