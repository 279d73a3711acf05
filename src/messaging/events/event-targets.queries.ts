import { statement } from '../../kernel/database/statement.js';

/* Hand-written: two tables in one statement, so that neither row is ever without the other. */

/** Both rows in one statement, so that neither is ever without the other. */
export const INSERT_TARGET = statement(
  'chat_insert_event_target',
  `WITH ours AS (
     INSERT INTO event_targets (id, tenant_id, workspace_id, app_id, url, names, kinds, message_types, conversation_id, name,
       secret, verified, creator_id, created_at, scoped_app_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $16)
     RETURNING id, tenant_id)
   INSERT INTO delivery_targets (id, product, tenant_id) SELECT id, $15, tenant_id FROM ours`,
  { seals: [11] },
);

export const TENANT_OF_WORKSPACE = statement(
  'chat_tenant_of_workspace',
  'SELECT tenant_id AS id FROM workspaces WHERE id = $1',
);

export const INSERT_SOCKET_TARGET = statement(
  'chat_insert_socket_target',
  `WITH ours AS (
     INSERT INTO event_targets (id, tenant_id, workspace_id, app_id, url, names, kinds, message_types, creator_id, created_at,
       is_socket, open_until)
     SELECT $1, w.tenant_id, w.id, $3, '', $4, $5, $6, $7, $8, true, CASE WHEN $9::boolean THEN now() END
       FROM workspaces w WHERE w.id = $2
     ON CONFLICT (app_id, url, workspace_id) WHERE app_id IS NOT NULL DO NOTHING
     RETURNING id, tenant_id)
   INSERT INTO delivery_targets (id, product, tenant_id) SELECT id, $10, tenant_id FROM ours RETURNING id`,
);

/** What a statement that stores targets is made of; `rows` is the parameter with them. */
export const insertTargetsParts = (rows: string): string => `
   t AS MATERIALIZED (
     SELECT r.*, p.product, p.while_open FROM jsonb_populate_recordset(NULL::event_targets, ${rows}::jsonb) r
     JOIN jsonb_to_recordset(${rows}::jsonb) AS p (id text, product text, while_open boolean) USING (id)),
   ours AS (
     INSERT INTO event_targets (id, tenant_id, workspace_id, app_id, url, names, kinds, message_types, conversation_id, name,
       secret, verified, creator_id, created_at, is_socket, open_until)
     SELECT id, tenant_id, workspace_id, app_id, url, names, kinds, message_types, conversation_id, name,
       secret, false, creator_id, created_at, is_socket, CASE WHEN while_open THEN now() END
     FROM t ON CONFLICT (app_id, url, workspace_id) WHERE app_id IS NOT NULL DO NOTHING RETURNING id),
   engines AS (
     INSERT INTO delivery_targets (id, product, tenant_id) SELECT t.id, t.product, t.tenant_id FROM t JOIN ours o ON o.id = t.id)`;

export const INSERT_TARGETS = statement(
  'chat_insert_event_targets',
  `WITH ${insertTargetsParts('$1')} SELECT 1 FROM ours`,
);

/** Existing parts of the apps that are completed. */
export const SUBSCRIBED_APPS = statement(
  'seed_subscribed',
  'SELECT app_id AS "appId", url FROM event_targets WHERE workspace_id = $2 AND app_id = ANY($1::text[]) AND NOT is_socket',
);

/** As SQL: the app that a target is of, or is scoped to; null: of none. */
export const appOfTarget = (target: string): string =>
  `(SELECT coalesce(e.app_id, e.scoped_app_id) FROM event_targets e WHERE e.id = ${target})`;

/** Where events of the chat go; secrets as they are stored. */
export const EVENT_TARGET_ROWS = '(SELECT id, tenant_id, app_id, scoped_app_id, url, secret FROM event_targets)';
