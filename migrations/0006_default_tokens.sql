-- The default app's credentials that settings or the instance secret determine. When those change, the earlier ones are
-- revoked; tokens that provisioning issued for the same app are not marked and stay.
ALTER TABLE tokens ADD COLUMN is_default boolean NOT NULL DEFAULT false;
