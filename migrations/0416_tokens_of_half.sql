-- all tokens of an app's bot or of one person of it, those that have ended included: of these only some are kept
CREATE INDEX tokens_of_half ON tokens (workspace_id, app_id, user_id, created_at);
