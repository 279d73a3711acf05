-- What agents do in a thread (docs/reference/chat.md#agent-sessions). The thread's first message shows it.
CREATE TABLE agent_sessions (
  conversation_id text COLLATE "C" NOT NULL,
  thread_ts bigint NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  title text,
  -- one for each agent, in the order in which they came
  statuses jsonb NOT NULL,
  -- when the first `processing` of them ends, in microseconds by the sandbox's clock; null: none is
  expires_at bigint,
  PRIMARY KEY (conversation_id, thread_ts),
  FOREIGN KEY (conversation_id, thread_ts) REFERENCES messages (conversation_id, ts) ON DELETE CASCADE
);
CREATE INDEX agent_sessions_due ON agent_sessions (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX agent_sessions_page ON agent_sessions (workspace_id, thread_ts);
SELECT sandbox_track('agent_sessions', 'conversation', ARRAY['conversation_id', 'thread_ts']);
