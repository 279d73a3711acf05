-- What the methods beyond the 27 store.

-- Who pinned which message. A message shows it (messages.pinned, JSON members behind its other fields), a conversation
-- counts it; a message that is deleted is unpinned with it (messaging/store/pinned-messages.ts).
CREATE TABLE pins (
  conversation_id text COLLATE "C" NOT NULL,
  ts bigint NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  -- seconds; the order within one second is that of position
  created_at bigint NOT NULL,
  position bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (conversation_id, ts),
  FOREIGN KEY (conversation_id, ts) REFERENCES messages (conversation_id, ts) ON DELETE CASCADE
);
ALTER TABLE messages ADD COLUMN pinned text;
ALTER TABLE conversations ADD COLUMN pin_count integer NOT NULL DEFAULT 0;

-- Ims and mpims that a member closed (conversations.close): open again with the first message after this ts.
ALTER TABLE members ADD COLUMN closed_at bigint;

-- Messages for one person's eyes only, kept for clicks on them and for what a person sees on the screen.
CREATE TABLE ephemeral_messages (
  conversation_id text COLLATE "C" NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  user_id text COLLATE "C" NOT NULL,
  ts bigint NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  app_id text COLLATE "C",
  wire text NOT NULL,
  PRIMARY KEY (conversation_id, user_id, ts)
);
CREATE INDEX ephemeral_messages_of_user ON ephemeral_messages (workspace_id, user_id, ts);
CREATE INDEX ephemeral_messages_age ON ephemeral_messages (ts);

-- Posts for later. `post` is what will be posted, as whom, ready made.
CREATE TABLE scheduled_messages (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  conversation_id text COLLATE "C" NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  -- null: made by a person without an app
  app_id text COLLATE "C",
  user_id text COLLATE "C" NOT NULL,
  -- seconds
  post_at bigint NOT NULL,
  created_at bigint NOT NULL,
  text text NOT NULL,
  post jsonb NOT NULL
);
CREATE INDEX scheduled_messages_due ON scheduled_messages (post_at, id);
CREATE INDEX scheduled_messages_page ON scheduled_messages (workspace_id, post_at, id);
CREATE INDEX scheduled_messages_of_conversation ON scheduled_messages (conversation_id, post_at);

-- What an assistant shows of a thread.
CREATE TABLE assistant_threads (
  conversation_id text COLLATE "C" NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  -- 0: prompts of the conversation as a whole
  thread_ts bigint NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  -- the app's bot; empty for a person without an app
  bot_id text COLLATE "C" NOT NULL,
  status text NOT NULL DEFAULT '',
  loading_messages jsonb NOT NULL DEFAULT '[]',
  title text,
  prompts jsonb NOT NULL DEFAULT '[]',
  prompts_title text,
  updated_at bigint NOT NULL,
  PRIMARY KEY (conversation_id, thread_ts, bot_id)
);

-- Files. A row begins as a place to upload to (`slot`), has its bytes (`uploaded`), is there for others (`complete`), and
-- stays for a while as `deleted`.
CREATE TABLE files (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  -- null: a person without an app
  app_id text COLLATE "C",
  user_id text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL DEFAULT 'slot' CHECK (state IN ('slot', 'uploaded', 'complete', 'deleted')),
  name text NOT NULL,
  title text NOT NULL,
  alt_txt text,
  -- as announced, then as it is
  size bigint NOT NULL,
  -- SHA-256 of the upload URL's secret part; null once it was used up for good
  upload_hash text COLLATE "C",
  -- SHA-256 of the bytes
  content_hash text COLLATE "C",
  -- microseconds
  created_at bigint NOT NULL,
  -- real time: upload URLs and forgotten places do not live by a sandbox's clock
  upload_until timestamptz NOT NULL,
  complete_until timestamptz NOT NULL
);
CREATE UNIQUE INDEX files_upload ON files (upload_hash) WHERE upload_hash IS NOT NULL;
CREATE INDEX files_of_workspace ON files (workspace_id);
CREATE INDEX files_unfinished ON files (complete_until) WHERE state IN ('slot', 'uploaded');

-- The bytes, once for equal files of a workspace.
CREATE TABLE file_contents (
  workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  hash text COLLATE "C" NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (workspace_id, hash)
);
ALTER TABLE file_contents ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE INDEX files_content ON files (workspace_id, content_hash) WHERE content_hash IS NOT NULL;

-- Which message shows a file where.
CREATE TABLE file_shares (
  file_id text COLLATE "C" NOT NULL REFERENCES files (id) ON DELETE CASCADE,
  conversation_id text COLLATE "C" NOT NULL,
  ts bigint NOT NULL,
  PRIMARY KEY (file_id, conversation_id, ts)
);
CREATE INDEX file_shares_of_message ON file_shares (conversation_id, ts);

-- What people wrote with a subtype of its own is searched like the rest.
CREATE OR REPLACE FUNCTION is_searchable(subtype text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN subtype IS NULL OR subtype IN ('bot_message', 'thread_broadcast', 'me_message', 'file_share');

-- users.lookupByEmail
CREATE INDEX users_email ON users (workspace_id, lower(email)) WHERE email IS NOT NULL;
