-- Default apps that exist already get the scopes of the methods beyond the 27 (messaging/provisioning/default-scopes.ts):
-- their tokens, what the app shows, and its manifest. A token that was narrower than its app stays so.
WITH more AS (
  SELECT ARRAY['app_mentions:read', 'assistant:write', 'emoji:read', 'files:read', 'files:write', 'links:read', 'links:write',
               'pins:read', 'pins:write', 'team:read', 'usergroups:read'] AS bot,
         ARRAY['emoji:read', 'files:read', 'files:write', 'links:read', 'links:write', 'pins:read', 'pins:write', 'team:read',
               'usergroups:read'] AS person),
wider AS (
  SELECT a.id, a.bot_scopes, a.user_scopes,
         ARRAY(SELECT DISTINCT s COLLATE "C" FROM unnest(a.bot_scopes || more.bot) s ORDER BY 1) AS bot,
         ARRAY(SELECT DISTINCT s COLLATE "C" FROM unnest(a.user_scopes || more.person) s ORDER BY 1) AS person
  FROM apps a, more WHERE a.is_default),
reissued AS (
  UPDATE tokens t SET scopes = CASE t.kind WHEN 'bot' THEN w.bot ELSE w.person END
  FROM wider w
  WHERE t.app_id = w.id AND t.revoked_at IS NULL
    AND t.scopes = CASE t.kind WHEN 'bot' THEN w.bot_scopes ELSE w.user_scopes END)
UPDATE apps a SET bot_scopes = w.bot, user_scopes = w.person,
  manifest = jsonb_set(jsonb_set(a.manifest, '{oauth_config,scopes,bot}', to_jsonb(w.bot)),
                       '{oauth_config,scopes,user}', to_jsonb(w.person))
FROM wider w WHERE a.id = w.id;
