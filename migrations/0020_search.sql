-- What search.messages searches (docs/decisions/search-index.md): one narrow row per searchable message, so that the
-- many keys of the text index are written once per text and not again with every counter or reaction of a message.
CREATE EXTENSION IF NOT EXISTS btree_gin;

CREATE TABLE message_search (
  conversation_id text COLLATE "C" NOT NULL,
  ts bigint NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  -- the user, or the bot of a bot_message
  author text COLLATE "C" NOT NULL,
  -- the text in lower case
  folded text NOT NULL,
  PRIMARY KEY (conversation_id, ts)
);

-- Sparse properties of searchable messages, each a list to walk: `thread`, `reaction`, and `:name:` for each reaction.
CREATE TABLE message_facets (
  conversation_id text COLLATE "C" NOT NULL,
  ts bigint NOT NULL,
  facet text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (conversation_id, ts, facet)
);

-- System messages and tombstones are not searched (docs/reference/chat.md#search).
CREATE FUNCTION is_searchable(subtype text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN subtype IS NULL OR subtype IN ('bot_message', 'thread_broadcast');

INSERT INTO message_search (conversation_id, ts, workspace_id, author, folded)
SELECT m.conversation_id, m.ts, c.workspace_id, coalesce(m.user_id, m.bot_id, ''), lower(m.text)
FROM messages m JOIN conversations c ON c.id = m.conversation_id WHERE is_searchable(m.subtype);

INSERT INTO message_facets (conversation_id, ts, facet, workspace_id)
SELECT s.conversation_id, s.ts, f.facet, s.workspace_id
FROM message_search s JOIN (
  SELECT conversation_id, ts, 'thread' AS facet FROM messages WHERE thread_ts IS NOT NULL OR reply_count > 0
  UNION SELECT conversation_id, ts, 'reaction' FROM reactions
  UNION SELECT conversation_id, ts, ':' || name || ':' FROM reactions) f USING (conversation_id, ts);

CREATE INDEX message_search_newest ON message_search (workspace_id, ts);
CREATE INDEX message_search_by_author ON message_search (workspace_id, author, ts);
-- The workspace is a key of the index: what other tenants write often does not slow this one's search. A short pending
-- list keeps the pause of the insert that empties it, and what a search must read of it, at some milliseconds.
CREATE INDEX message_search_text ON message_search USING gin (workspace_id, folded gin_trgm_ops)
  WITH (gin_pending_list_limit = 1024);
CREATE INDEX message_facets_newest ON message_facets (workspace_id, facet, ts);

-- Posts and replies write their rows themselves (model/message-log.ts); what happens to a message later is followed here,
-- in the same transaction, whoever does it.
CREATE FUNCTION search_follow_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF is_searchable(NEW.subtype) THEN
    UPDATE message_search SET folded = lower(NEW.text) WHERE conversation_id = NEW.conversation_id AND ts = NEW.ts;
  ELSE
    DELETE FROM message_search WHERE conversation_id = NEW.conversation_id AND ts = NEW.ts;
    DELETE FROM message_facets WHERE conversation_id = NEW.conversation_id AND ts = NEW.ts;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER search_follow_text AFTER UPDATE OF text, subtype ON messages FOR EACH ROW
  WHEN (OLD.text IS DISTINCT FROM NEW.text OR OLD.subtype IS DISTINCT FROM NEW.subtype)
  EXECUTE FUNCTION search_follow_message();

CREATE FUNCTION search_follow_thread() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.reply_count > 0 THEN
    INSERT INTO message_facets (conversation_id, ts, facet, workspace_id)
    SELECT conversation_id, ts, 'thread', workspace_id FROM message_search
    WHERE conversation_id = NEW.conversation_id AND ts = NEW.ts ON CONFLICT DO NOTHING;
  ELSE
    DELETE FROM message_facets WHERE conversation_id = NEW.conversation_id AND ts = NEW.ts AND facet = 'thread';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER search_follow_thread AFTER UPDATE OF reply_count ON messages FOR EACH ROW
  WHEN ((OLD.reply_count > 0) <> (NEW.reply_count > 0)) EXECUTE FUNCTION search_follow_thread();

CREATE FUNCTION search_forget_messages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM message_search s USING gone g WHERE s.conversation_id = g.conversation_id AND s.ts = g.ts;
  DELETE FROM message_facets f USING gone g WHERE f.conversation_id = g.conversation_id AND f.ts = g.ts;
  RETURN NULL;
END $$;
CREATE TRIGGER search_forget AFTER DELETE ON messages REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION search_forget_messages();

-- Reactions change under their message's lock, so that the last one of a name is known to be the last.
CREATE FUNCTION search_follow_reaction() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO message_facets (conversation_id, ts, facet, workspace_id)
    SELECT s.conversation_id, s.ts, f, s.workspace_id
    FROM message_search s, unnest(ARRAY['reaction', ':' || NEW.name || ':']) f
    WHERE s.conversation_id = NEW.conversation_id AND s.ts = NEW.ts ON CONFLICT DO NOTHING;
  ELSE
    DELETE FROM message_facets f
    WHERE f.conversation_id = OLD.conversation_id AND f.ts = OLD.ts AND f.facet IN ('reaction', ':' || OLD.name || ':')
      AND NOT EXISTS (SELECT FROM reactions r WHERE r.conversation_id = OLD.conversation_id AND r.ts = OLD.ts
                      AND (f.facet = 'reaction' OR r.name = OLD.name));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER search_follow_reaction AFTER INSERT OR DELETE ON reactions FOR EACH ROW
  EXECUTE FUNCTION search_follow_reaction();
