-- Details of work objects that people asked apps for, and what the apps presented (docs/reference/chat.md#work-objects).
-- A request goes with its trigger: with a reset, and a day later.
CREATE TABLE entity_requests (
  trigger_id text COLLATE "C" PRIMARY KEY REFERENCES triggers (id) ON DELETE CASCADE,
  workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  app_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  conversation_id text COLLATE "C" NOT NULL,
  message_ts bigint NOT NULL,
  external_id text NOT NULL,
  -- JSON text: what the app presented; null: nothing yet
  presented text
);
CREATE INDEX entity_requests_of_user ON entity_requests (workspace_id, user_id, app_id, trigger_id);

SELECT sandbox_leave('entity_requests', 'dropped by a reset, with the triggers of the people who asked');
