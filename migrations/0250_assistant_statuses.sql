-- What an assistant says it is doing in a thread ends by itself, and may be said under another name
-- (docs/reference/chat.md#assistant-threads).
ALTER TABLE assistant_threads
  ADD COLUMN username text,
  ADD COLUMN icon_emoji text,
  ADD COLUMN icon_url text,
  -- when the status ends, in microseconds by the sandbox's clock; null: there is none, or it is from an older version
  ADD COLUMN status_until bigint;
CREATE INDEX assistant_threads_due ON assistant_threads (status_until) WHERE status_until IS NOT NULL;

-- Default apps that exist already get the scopes of a bot's search: their tokens, what the app shows, and its manifest. A
-- token that was narrower than its app stays so.
WITH more AS (
  SELECT ARRAY['search:read.files', 'search:read.public', 'search:read.users'] AS bot,
         ARRAY['search:read.files', 'search:read.im', 'search:read.mpim', 'search:read.private', 'search:read.public',
               'search:read.users'] AS person),
wider AS (
  SELECT a.workspace_id, a.id, a.bot_scopes, a.user_scopes,
         ARRAY(SELECT DISTINCT s COLLATE "C" FROM unnest(a.bot_scopes || more.bot) s ORDER BY 1) AS bot,
         ARRAY(SELECT DISTINCT s COLLATE "C" FROM unnest(a.user_scopes || more.person) s ORDER BY 1) AS person
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
