import { statement } from '../../kernel/database/statement.js';

/* Hand-written: prepared, as every call of an app runs it; other statements share its columns. */

/** Columns of an app under their property names. */
export const appColumns = (alias: string): string =>
  Object.entries({
    id: 'id',
    workspaceId: 'workspace_id',
    name: 'name',
    botId: 'bot_id',
    botUserId: 'bot_user_id',
    botScopes: 'bot_scopes',
    userScopes: 'user_scopes',
    signingSecret: 'signing_secret',
    verificationToken: 'verification_token',
    interactivityUrl: 'interactivity_url',
    socketMode: 'socket_mode',
    manifest: 'manifest',
    creatorId: 'creator_id',
    createdAt: 'created_at',
    homeId: 'home_id',
    clientId: 'client_id',
    isDistributed: 'is_distributed',
    botState: 'bot_state',
    installedAt: 'installed_at',
  })
    .map(([property, column]) => `${alias}.${column} AS "${property}"`)
    .join(', ');

/** Which of them are kept encrypted. */
export const APP_SECRETS = { opens: ['signingSecret', 'verificationToken'] } as const;

/** A workspace that was provisioned with an app of its own has no default app; its oldest app takes that place. */
export const APP_BY_ID = statement(
  'chat_app',
  `SELECT ${appColumns('a')} FROM apps a WHERE a.workspace_id = $1 AND ($2::text IS NULL OR a.id = $2)
   ORDER BY a.is_default DESC, a.home_id IS NOT NULL, a.created_at, a.id LIMIT 1`,
  APP_SECRETS,
);

export const APP_BY_BOT = statement(
  'chat_app_of_bot',
  `SELECT ${appColumns('a')} FROM apps a WHERE a.workspace_id = $1 AND a.bot_user_id = $2`,
  APP_SECRETS,
);

export const APP_OF_OWNER = statement(
  'chat_app_of_owner',
  `SELECT ${appColumns('a')}, a.is_default AS "isDefault" FROM apps a WHERE a.workspace_id = $1 AND a.id = $2`,
  APP_SECRETS,
);

/** An app by id or name, or the default app where $2 is null. */
export const APP_BY_NAME = statement(
  'sandbox_app',
  `SELECT a.id, a.name FROM apps a
    WHERE a.workspace_id = $1 AND CASE WHEN $2::text IS NULL THEN a.is_default ELSE a.id = $2 OR a.name = $2 END
    ORDER BY a.created_at, a.id LIMIT 1`,
);
