import { statement } from '../../kernel/database/statement.js';
import { defaultAppOf, nameOfCaller } from '../../tenants/both-products.queries.js';

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
  `WITH app AS (${defaultAppOf('$2')}),
   made AS (INSERT INTO mcp_urls (id, tenant_id, hash, app_id, user_id) SELECT $1, tenant_id, $3, id, creator_id FROM app)
   SELECT id, name FROM app`,
);

/** With the names of apps and people; null for one that is gone. */
export const MCP_URLS = statement(
  'sandbox_mcp_urls',
  `SELECT m.id, m.created_at AS "createdAt", ${nameOfCaller('m.tenant_id', 'm.app_id', 'm.user_id')} AS "as"
     FROM mcp_urls m WHERE m.tenant_id = $1 ORDER BY m.place`,
);

export const MCP_URL_BY_HASH = statement(
  'sandbox_mcp_url_by_hash',
  `SELECT m.id, m.tenant_id AS "tenantId", m.app_id AS "appId", m.user_id AS "userId" FROM mcp_urls m WHERE m.hash = $1`,
);
