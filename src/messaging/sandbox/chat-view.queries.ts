import { statement } from '../../kernel/database/statement.js';
import { messageWire } from '../wire/message-wire.queries.js';

/* Hand-written: names of many kinds of things in one statement, and pages of wire text. */

/** Channels and people by id or name: the other ids and names of each of $2. */
export const ALIASES = statement(
  'chat_aliases',
  `WITH asked AS (SELECT * FROM unnest($2::text[]) v (value)),
   ws AS (SELECT id FROM workspaces WHERE tenant_id = $1 AND deleted_at IS NULL)
   SELECT a.value, c.id AS one, c.name AS other FROM ws JOIN conversations c ON c.workspace_id = ws.id
     JOIN asked a ON a.value IN (c.id, c.name) AND c.name IS NOT NULL
   UNION ALL
   SELECT a.value, u.id, u.name FROM ws JOIN users u ON u.workspace_id = ws.id JOIN asked a ON a.value IN (u.id, u.name)`,
);

export const MESSAGES_OF_TENANT = statement(
  'chat_view_messages',
  `SELECT ${messageWire('m', 'NULL::text[]', 'true')} AS wire, m.conversation_id AS channel
     FROM workspaces w JOIN conversations c ON c.workspace_id = w.id JOIN messages m ON m.conversation_id = c.id
    WHERE w.tenant_id = $1 AND w.deleted_at IS NULL ORDER BY m.ts DESC LIMIT $2`,
);

export const NAMES_OF_TENANT = statement(
  'chat_names',
  `WITH asked AS (SELECT * FROM unnest($2::text[]) v (id)),
   ws AS (SELECT id FROM workspaces WHERE tenant_id = $1)
   SELECT c.id, c.name FROM asked a JOIN conversations c ON c.id = a.id JOIN ws ON ws.id = c.workspace_id WHERE c.name IS NOT NULL
   UNION ALL
   SELECT u.id, u.name FROM ws JOIN users u ON u.workspace_id = ws.id JOIN asked a ON a.id = u.id
   UNION ALL
   SELECT p.id, p.name FROM asked a JOIN apps p ON p.id = a.id JOIN ws ON ws.id = p.workspace_id`,
);

/** Names of people. */
export const PEOPLE_NAMES = statement(
  'script_people',
  `SELECT u.name FROM workspaces w JOIN users u ON u.workspace_id = w.id AND NOT u.is_bot
   WHERE w.tenant_id = $1 ORDER BY u.name`,
);

/**
 * As SQL: an aggregate over the messages of a workspace, summed up. Channel by channel, as without statistics of what was
 * just copied PostgreSQL would rather read the messages of all tenants.
 */
export const sumOverMessages = (workspace: string, aggregate: string): string =>
  `(SELECT coalesce(sum(m.n), 0) FROM conversations c CROSS JOIN LATERAL (
        SELECT ${aggregate} AS n FROM messages WHERE conversation_id = c.id) m WHERE c.workspace_id = ${workspace})`;

/** As SQL: how much is in a workspace, as columns. */
export const countsOfWorkspace = (workspace: string): string =>
  `(SELECT count(*)::int FROM users u WHERE u.workspace_id = ${workspace} AND u.deleted_at IS NULL AND NOT u.is_bot) AS users,
     (SELECT count(*)::int FROM conversations c WHERE c.workspace_id = ${workspace} AND c.type IN ('public', 'private')) AS channels,
     ${sumOverMessages(workspace, 'count(*)')}::int AS messages`;

/** As SQL: when the newest message of a workspace was posted, in microseconds. */
export const newestMessage = (workspace: string): string =>
  `(SELECT max(m.ts) FROM conversations c CROSS JOIN LATERAL (
        SELECT ts FROM messages WHERE conversation_id = c.id ORDER BY ts DESC LIMIT 1) m WHERE c.workspace_id = ${workspace})`;

/** The signing secrets of a tenant's apps and outgoing webhooks, as rows (id, secret). */
export const signingSecrets = (tenant: string): string =>
  `SELECT a.id, a.signing_secret AS secret FROM apps a JOIN workspaces w ON w.id = a.workspace_id WHERE w.tenant_id = ${tenant}
   UNION ALL SELECT t.id, t.secret FROM event_targets t WHERE t.tenant_id = ${tenant} AND t.secret IS NOT NULL`;

/** The default app of a tenant and its maker, as a row (id, name, tenant_id, creator_id). */
export const defaultAppOf = (tenant: string): string =>
  `SELECT a.id, a.name, w.tenant_id, w.creator_id FROM workspaces w JOIN apps a ON a.workspace_id = w.id AND a.is_default
      WHERE w.tenant_id = ${tenant} ORDER BY a.created_at, a.id LIMIT 1`;

/** As SQL: the name of an app of a tenant or, where that is null, of a person; null for one that is gone. */
export const nameOfCaller = (tenant: string, app: string, user: string): string =>
  `(SELECT CASE WHEN ${app} IS NULL THEN u.name ELSE a.name END FROM workspaces w
     LEFT JOIN apps a ON a.workspace_id = w.id AND a.id = ${app}
     LEFT JOIN users u ON u.workspace_id = w.id AND u.id = ${user}
    WHERE w.tenant_id = ${tenant})`;
