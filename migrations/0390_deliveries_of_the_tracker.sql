-- Attempts to reach webhooks of the tracker are kept as those to apps are; they have neither a workspace nor an app of the chat.
ALTER TABLE app_deliveries ALTER COLUMN workspace_id DROP NOT NULL, ALTER COLUMN app_id DROP NOT NULL;
