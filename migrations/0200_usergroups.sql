-- User groups (docs/reference/chat.md#user-groups): a name for some of a workspace's users. Who is in one stands in its row,
-- as the whole list is read and replaced at once.
CREATE TABLE usergroups (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  name text NOT NULL,
  handle text COLLATE "C" NOT NULL,
  description text NOT NULL DEFAULT '',
  user_ids text[] COLLATE "C" NOT NULL DEFAULT '{}',
  -- channels that its members are meant to be in, public and private
  channel_ids text[] COLLATE "C" NOT NULL DEFAULT '{}',
  group_ids text[] COLLATE "C" NOT NULL DEFAULT '{}',
  created_by text COLLATE "C" NOT NULL,
  updated_by text COLLATE "C" NOT NULL,
  -- null: it is enabled
  deleted_by text COLLATE "C",
  -- seconds
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  deleted_at bigint
);
CREATE UNIQUE INDEX usergroups_name ON usergroups (workspace_id, name);
CREATE UNIQUE INDEX usergroups_handle ON usergroups (workspace_id, handle);

SELECT sandbox_track('usergroups', 'workspace', ARRAY['id']);

-- default apps that exist already get the scope, with their tokens; a token that was narrower than its app stays so
WITH wider AS (
  SELECT a.workspace_id, a.id, a.bot_scopes, a.user_scopes,
         ARRAY(SELECT DISTINCT s COLLATE "C" FROM unnest(a.bot_scopes || ARRAY['usergroups:write']) s ORDER BY 1) AS bot,
         ARRAY(SELECT DISTINCT s COLLATE "C" FROM unnest(a.user_scopes || ARRAY['usergroups:write']) s ORDER BY 1) AS person
  FROM apps a WHERE a.is_default),
reissued AS (
  UPDATE tokens t SET scopes = CASE t.kind WHEN 'bot' THEN w.bot ELSE w.person END
  FROM wider w
  WHERE t.workspace_id = w.workspace_id AND t.app_id = w.id AND t.revoked_at IS NULL AND t.kind IN ('bot', 'user')
    AND t.scopes = CASE t.kind WHEN 'bot' THEN w.bot_scopes ELSE w.user_scopes END)
UPDATE apps a SET bot_scopes = w.bot, user_scopes = w.person,
  manifest = jsonb_set(jsonb_set(a.manifest, '{oauth_config,scopes,bot}', to_jsonb(w.bot)),
                       '{oauth_config,scopes,user}', to_jsonb(w.person))
FROM wider w WHERE a.workspace_id = w.workspace_id AND a.id = w.id;
