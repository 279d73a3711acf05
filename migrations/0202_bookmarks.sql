-- Bookmarks of a conversation: links above its messages, in the order of their rank.
CREATE TABLE bookmarks (
  id text COLLATE "C" PRIMARY KEY,
  conversation_id text COLLATE "C" NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  title text NOT NULL,
  link text NOT NULL,
  -- with its colons; empty: none
  emoji text COLLATE "C" NOT NULL DEFAULT '',
  rank text COLLATE "C" NOT NULL,
  -- the app that made it; null: a person
  app_id text COLLATE "C",
  updated_by text COLLATE "C" NOT NULL,
  -- seconds; 0: never
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL DEFAULT 0
);
CREATE INDEX bookmarks_of_conversation ON bookmarks (conversation_id, rank);

SELECT sandbox_track('bookmarks', 'conversation', ARRAY['id']);

-- default apps that exist already get the scopes, with their tokens; a token that was narrower than its app stays so
WITH more AS (SELECT ARRAY['bookmarks:read', 'bookmarks:write'] AS scopes),
wider AS (
  SELECT a.workspace_id, a.id, a.bot_scopes, a.user_scopes,
         ARRAY(SELECT DISTINCT s COLLATE "C" FROM unnest(a.bot_scopes || more.scopes) s ORDER BY 1) AS bot,
         ARRAY(SELECT DISTINCT s COLLATE "C" FROM unnest(a.user_scopes || more.scopes) s ORDER BY 1) AS person
  FROM apps a, more WHERE a.is_default),
reissued AS (
  UPDATE tokens t SET scopes = CASE t.kind WHEN 'bot' THEN w.bot ELSE w.person END
  FROM wider w
  WHERE t.workspace_id = w.workspace_id AND t.app_id = w.id AND t.revoked_at IS NULL AND t.kind IN ('bot', 'user')
    AND t.scopes = CASE t.kind WHEN 'bot' THEN w.bot_scopes ELSE w.user_scopes END)
UPDATE apps a SET bot_scopes = w.bot, user_scopes = w.person,
  manifest = jsonb_set(jsonb_set(a.manifest, '{oauth_config,scopes,bot}', to_jsonb(w.bot)),
                       '{oauth_config,scopes,user}', to_jsonb(w.person))
FROM wider w WHERE a.workspace_id = w.workspace_id AND a.id = w.id;
