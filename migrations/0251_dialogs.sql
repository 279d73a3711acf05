-- Dialogs, the modals from before there were views (docs/reference/chat.md#dialogs).
ALTER TABLE triggers
  -- the conversation of the action; null: it has none, or is from an older version
  ADD COLUMN conversation_id text COLLATE "C";

-- A dialog goes with what opened it: with a reset, and a day later.
CREATE TABLE dialogs (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  app_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  trigger_id text COLLATE "C" NOT NULL REFERENCES triggers (id) ON DELETE CASCADE,
  -- where the person was; null: nowhere
  conversation_id text COLLATE "C",
  -- JSON text: the dialog as the app gave it, checked
  content text NOT NULL
);
CREATE UNIQUE INDEX dialogs_place ON dialogs (workspace_id, user_id, app_id);
CREATE INDEX dialogs_of_trigger ON dialogs (trigger_id);

SELECT sandbox_leave('dialogs', 'dropped by a reset, with the triggers that opened them');
