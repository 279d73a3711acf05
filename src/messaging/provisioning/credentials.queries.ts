/* Hand-written: parts of statements over the credentials of both products, in sets. */

/** Tables of a workspace's credentials, which are made anew in copies. */
export const CREDENTIAL_TABLES = ['tokens'] as const;

/** As SQL: how many rows they have in a tenant. */
export const countCredentials = (tenant: string): string =>
  `(SELECT count(*) FROM tokens r JOIN workspaces w ON w.id = r.workspace_id WHERE w.tenant_id = ${tenant})`;

/** Deletes tokens with these hashes, but those of ended workspaces, which stay refused. */
export const freeTokens = (hashes: string): string =>
  `DELETE FROM tokens t WHERE t.hash = ANY(${hashes})
       AND NOT EXISTS (SELECT FROM workspaces w WHERE w.id = t.workspace_id AND w.deleted_at IS NULL)`;

/** Those of these hashes that tokens and secrets of apps have, as rows (id). */
export const takenHashes = (hashes: string): string =>
  `SELECT hash AS id FROM tokens WHERE hash = ANY(${hashes})
   UNION ALL SELECT a.client_secret_hash FROM apps a JOIN workspaces w ON w.id = a.workspace_id AND w.deleted_at IS NULL
     WHERE a.client_secret_hash = ANY(${hashes})`;

/** Sets the hashes of client secrets of a workspace's apps. @param secrets a relation (id, hash) */
export const setClientSecrets = (workspace: string, secrets: string): string =>
  `UPDATE apps a SET client_secret_hash = s.hash FROM ${secrets} s WHERE a.workspace_id = ${workspace} AND a.id = s.id`;

/** The tokens of an app that operators configure, as rows (tbl, key, row) of a sandbox's images. */
export const defaultTokenImages = (app: string): string =>
  `SELECT 'tokens' AS tbl, jsonb_build_object('hash', hash)::text AS key, to_jsonb(tokens) AS row FROM tokens
     WHERE app_id = ${app} AND is_default`;

/** What operators change of an app with its tokens, as a row (tbl, key, changed) of a sandbox's images. */
export const appOfImages = (app: string): string =>
  `SELECT 'apps' AS tbl, jsonb_build_object('workspace_id', a.workspace_id, 'id', a.id)::text AS key,
     jsonb_build_object('token_version', a.token_version) AS changed FROM apps a WHERE a.id = ${app}`;
