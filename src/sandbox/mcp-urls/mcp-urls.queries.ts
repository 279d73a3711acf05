import { statement } from '../../kernel/database/statement.js';

/* Hand-written: URLs are counted as they are made, and shown with names of both products. */

/** Inserts nothing if the sandbox has reached its limit ($6); run one by one. */
export const INSERT_MCP_URL = statement(
  'sandbox_insert_mcp_url',
  `INSERT INTO mcp_urls (id, tenant_id, hash, app_id, user_id)
   SELECT $1, $2, $3, $4, $5 WHERE (SELECT count(*) FROM mcp_urls WHERE tenant_id = $2) < $6 RETURNING id`,
);

/** That of the default app, for its maker ($1: id, $3: hash). */
export const INSERT_FIRST_MCP_URL = statement(
  'sandbox_insert_first_mcp_url',
  `WITH app AS (
     SELECT a.id, a.name, w.tenant_id, w.creator_id FROM workspaces w JOIN apps a ON a.workspace_id = w.id AND a.is_default
      WHERE w.tenant_id = $2 ORDER BY a.created_at, a.id LIMIT 1),
   made AS (INSERT INTO mcp_urls (id, tenant_id, hash, app_id, user_id) SELECT $1, tenant_id, $3, id, creator_id FROM app)
   SELECT id, name FROM app`,
);

/** An app by id or name, or the default app where $2 is null. */
export const APP_OF_SANDBOX = statement(
  'sandbox_app',
  `SELECT a.id, a.name FROM apps a
    WHERE a.workspace_id = $1 AND CASE WHEN $2::text IS NULL THEN a.is_default ELSE a.id = $2 OR a.name = $2 END
    ORDER BY a.created_at, a.id LIMIT 1`,
);

/** With the names of apps and people; null for one that is gone. */
export const MCP_URLS = statement(
  'sandbox_mcp_urls',
  `SELECT m.id, m.created_at AS "createdAt", CASE WHEN m.app_id IS NULL THEN u.name ELSE a.name END AS "as"
     FROM mcp_urls m JOIN workspaces w ON w.tenant_id = m.tenant_id
     LEFT JOIN apps a ON a.workspace_id = w.id AND a.id = m.app_id
     LEFT JOIN users u ON u.workspace_id = w.id AND u.id = m.user_id
    WHERE m.tenant_id = $1 ORDER BY m.place`,
);

export const MCP_URL_BY_HASH = statement(
  'sandbox_mcp_url_by_hash',
  `SELECT m.id, m.tenant_id AS "tenantId", m.app_id AS "appId", m.user_id AS "userId" FROM mcp_urls m WHERE m.hash = $1`,
);
