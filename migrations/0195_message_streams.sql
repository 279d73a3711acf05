-- Messages that an app writes bit by bit (docs/reference/chat.md#streams). The message itself shows at every moment what was
-- written so far; a row here is what can still be added to, and remembers that it was a stream.
CREATE TABLE message_streams (
  conversation_id text COLLATE "C" NOT NULL,
  ts bigint NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  app_id text COLLATE "C" NOT NULL,
  bot_id text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'stopped', 'expired', 'stopped_by_user')),
  -- JSON of what was written, as it was sent; null when nothing more can be added
  content text,
  -- JSON of the message as it was at the start; null like the content
  begun text,
  -- microseconds by the sandbox's clock; without an end: null
  started_at bigint NOT NULL,
  expires_at bigint,
  appends integer NOT NULL DEFAULT 0,
  characters integer NOT NULL DEFAULT 0,
  PRIMARY KEY (conversation_id, ts),
  FOREIGN KEY (conversation_id, ts) REFERENCES messages (conversation_id, ts) ON DELETE CASCADE
) WITH (
  -- an append is a version of the row: there is room for the next one in its page, and those that are over go soon
  fillfactor = 60,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 1000
);
CREATE INDEX message_streams_open ON message_streams (workspace_id, expires_at) WHERE state = 'open';
CREATE INDEX message_streams_page ON message_streams (workspace_id, started_at, ts);
SELECT sandbox_track('message_streams', 'conversation', ARRAY['conversation_id', 'ts']);

-- Long texts of messages have versions too, and are stored beside them.
ALTER TABLE messages SET (toast.autovacuum_vacuum_scale_factor = 0.02);

-- While a stream is open its text waits for the text index, where a search reads it as it stands; it is indexed once, when
-- the stream ends.
CREATE OR REPLACE FUNCTION search_follow_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT is_searchable(NEW.subtype) THEN
    DELETE FROM message_search WHERE conversation_id = NEW.conversation_id AND ts = NEW.ts;
    DELETE FROM message_facets WHERE conversation_id = NEW.conversation_id AND ts = NEW.ts;
  ELSIF EXISTS (SELECT FROM message_streams s WHERE s.conversation_id = NEW.conversation_id AND s.ts = NEW.ts AND s.state = 'open') THEN
    UPDATE message_search SET folded = '', waiting = lower(NEW.text) WHERE conversation_id = NEW.conversation_id AND ts = NEW.ts;
  ELSE
    UPDATE message_search SET folded = lower(NEW.text), waiting = NULL WHERE conversation_id = NEW.conversation_id AND ts = NEW.ts;
  END IF;
  RETURN NULL;
END $$;
