-- conversations.list orders by `created` as clients see it, in whole seconds, then by id (docs/reference/chat.md#pagination); the second
-- index serves exclude_archived in workspaces where most channels are archived.
DROP INDEX conversations_page;
CREATE INDEX conversations_page ON conversations (workspace_id, type, (created_at / 1000000), id);
CREATE INDEX conversations_live_page ON conversations (workspace_id, type, (created_at / 1000000), id) WHERE NOT is_archived;
