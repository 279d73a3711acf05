-- Posts that were sent with a client_msg_id: for an hour a repeated one is the same message.
CREATE TABLE client_messages (
  conversation_id text COLLATE "C" NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  -- the user or bot that posts
  author_id text COLLATE "C" NOT NULL,
  -- SHA-256 (hex) of the client_msg_id
  hash text COLLATE "C" NOT NULL,
  -- of the message; 0 while it is being posted
  ts bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (conversation_id, author_id, hash)
);
CREATE INDEX client_messages_age ON client_messages (created_at);

SELECT sandbox_leave('client_messages', 'count only as long as their message is there');
