-- The chat product. Ids are the wire's own (docs/reference/chat.md#ids); times of messages and conversations are
-- microseconds since 1970 as bigint (docs/reference/chat.md#timestamps).
CREATE TABLE workspaces (
  id text COLLATE "C" PRIMARY KEY,
  tenant_id bigint NOT NULL UNIQUE REFERENCES tenants (id) ON DELETE CASCADE,
  name text NOT NULL,
  domain text COLLATE "C" NOT NULL,
  icon text,
  is_default boolean NOT NULL DEFAULT false,
  creator_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  deleted_at timestamptz
);
CREATE UNIQUE INDEX workspaces_domain ON workspaces (domain) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX workspaces_default ON workspaces (is_default) WHERE is_default;

-- One row for an account in a workspace: people and bots. The id is the account's (docs/reference/chat.md#ids).
CREATE TABLE users (
  workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  role text COLLATE "C" NOT NULL DEFAULT 'member' CHECK (role IN ('primary_owner', 'owner', 'admin', 'member')),
  is_bot boolean NOT NULL DEFAULT false,
  app_id text COLLATE "C",
  bot_id text COLLATE "C",
  email text COLLATE "C",
  profile jsonb NOT NULL DEFAULT '{}',
  presence text COLLATE "C" NOT NULL DEFAULT 'auto' CHECK (presence IN ('auto', 'away')),
  color text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX users_name ON users (workspace_id, name);
CREATE INDEX users_page ON users (workspace_id, created_at, id);
CREATE INDEX users_of_account ON users (id);

CREATE TABLE apps (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  name text NOT NULL,
  bot_id text COLLATE "C" NOT NULL UNIQUE,
  bot_user_id text COLLATE "C" NOT NULL,
  bot_scopes text[] NOT NULL DEFAULT '{}',
  user_scopes text[] NOT NULL DEFAULT '{}',
  signing_secret text NOT NULL,
  verification_token text NOT NULL,
  interactivity_url text,
  manifest jsonb NOT NULL,
  is_default boolean NOT NULL DEFAULT false,
  token_version integer NOT NULL DEFAULT 1,
  creator_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL
);
CREATE INDEX apps_page ON apps (workspace_id, created_at, id);
CREATE UNIQUE INDEX apps_default ON apps (workspace_id) WHERE is_default;

-- Credentials as SHA-256 (hex). Rows outlive their workspace: an old token answers account_inactive, not invalid_auth.
CREATE TABLE tokens (
  hash text COLLATE "C" PRIMARY KEY,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('bot', 'user')),
  workspace_id text COLLATE "C" NOT NULL,
  app_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  scopes text[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz
);
CREATE INDEX tokens_of_app ON tokens (app_id) WHERE revoked_at IS NULL;

CREATE TABLE conversations (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  type text COLLATE "C" NOT NULL CHECK (type IN ('public', 'private', 'im', 'mpim')),
  name text COLLATE "C",
  -- ims and mpims: the sorted ids of all members, so that a set of users has one conversation
  members_key text COLLATE "C",
  creator_id text COLLATE "C" NOT NULL,
  is_general boolean NOT NULL DEFAULT false,
  is_archived boolean NOT NULL DEFAULT false,
  topic text NOT NULL DEFAULT '',
  topic_creator text COLLATE "C" NOT NULL DEFAULT '',
  topic_set_at bigint NOT NULL DEFAULT 0,
  purpose text NOT NULL DEFAULT '',
  purpose_creator text COLLATE "C" NOT NULL DEFAULT '',
  purpose_set_at bigint NOT NULL DEFAULT 0,
  previous_names text[] NOT NULL DEFAULT '{}',
  member_count integer NOT NULL DEFAULT 0,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  -- the newest ts given out here; the next is greater (docs/reference/chat.md#timestamps)
  last_ts bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX conversations_name ON conversations (workspace_id, name) WHERE type IN ('public', 'private');
CREATE UNIQUE INDEX conversations_members_key ON conversations (workspace_id, members_key);
CREATE INDEX conversations_page ON conversations (workspace_id, type, created_at, id);

CREATE TABLE members (
  conversation_id text COLLATE "C" NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  user_id text COLLATE "C" NOT NULL,
  joined_at bigint NOT NULL,
  PRIMARY KEY (conversation_id, user_id)
);
CREATE INDEX members_of_user ON members (user_id, conversation_id);
CREATE INDEX members_page ON members (conversation_id, joined_at, user_id);

-- `wire` is the message as clients see it (docs/reference/chat.md#messages), but for what changes after it was posted: counters of a thread,
-- reactions and the caller's subscription are put in when it is read.
-- No foreign key to conversations: every insert holds that row's lock already, and the check would cost each post.
CREATE TABLE messages (
  conversation_id text COLLATE "C" NOT NULL,
  ts bigint NOT NULL,
  -- the parent's ts; null for anything but a reply
  thread_ts bigint,
  is_broadcast boolean NOT NULL DEFAULT false,
  subtype text COLLATE "C",
  user_id text COLLATE "C",
  bot_id text COLLATE "C",
  text text NOT NULL,
  wire text NOT NULL,
  metadata text,
  reply_count integer NOT NULL DEFAULT 0,
  reply_users text[] NOT NULL DEFAULT '{}',
  reply_users_count integer NOT NULL DEFAULT 0,
  latest_reply bigint,
  reactions text,
  PRIMARY KEY (conversation_id, ts)
);
CREATE INDEX messages_history_page ON messages (conversation_id, ts) WHERE thread_ts IS NULL OR is_broadcast;
CREATE INDEX messages_thread_page ON messages (conversation_id, thread_ts, ts) WHERE thread_ts IS NOT NULL;

-- Who replied to a thread and how often, so that counters cost the same in a thread of ten and of ten thousand.
CREATE TABLE thread_repliers (
  conversation_id text COLLATE "C" NOT NULL,
  thread_ts bigint NOT NULL,
  -- a user id, or the bot id of a bot_message (docs/reference/chat.md#threads)
  replier text COLLATE "C" NOT NULL,
  replies integer NOT NULL,
  first_ts bigint NOT NULL,
  PRIMARY KEY (conversation_id, thread_ts, replier),
  FOREIGN KEY (conversation_id, thread_ts) REFERENCES messages (conversation_id, ts) ON DELETE CASCADE
);

CREATE TABLE reactions (
  conversation_id text COLLATE "C" NOT NULL,
  ts bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  position bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (conversation_id, ts, name, user_id),
  FOREIGN KEY (conversation_id, ts) REFERENCES messages (conversation_id, ts) ON DELETE CASCADE
);
