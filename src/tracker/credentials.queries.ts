/* Hand-written: parts of statements over the credentials of both products, in sets: those of all rooms of the tracker. */

/** Tables of an organization's credentials, which are made anew in copies, and of names that are in use. */
export const CREDENTIAL_TABLES = ['api_keys', 'oauth_tokens', 'organization_url_keys', 'release_access_keys'] as const;

/** As SQL: how many rows they have in a tenant. */
export const countCredentials = (tenant: string): string =>
  CREDENTIAL_TABLES.map(
    (table) =>
      `(SELECT count(*) FROM ${table} r JOIN organizations o ON o.id = r.organization_id WHERE o.tenant_id = ${tenant})`,
  ).join(' + ');

const isLive = (organization: string): string =>
  `EXISTS (SELECT FROM organizations o JOIN tenants t ON t.id = o.tenant_id
                       WHERE o.id = ${organization} AND t.deleted_at IS NULL)`;

/** Delete keys with these hashes, but those of ended organizations, which stay refused. */
export const freeKeys = (hashes: string): string =>
  `DELETE FROM api_keys k WHERE k.hash = ANY(${hashes}) AND NOT ${isLive('k.organization_id')}`;
export const freeReleaseKeys = (hashes: string): string =>
  `DELETE FROM release_access_keys k WHERE k.hash = ANY(${hashes}) AND NOT ${isLive('k.organization_id')}`;

/** Those of these hashes that keys and secrets of applications have, as rows (id). */
export const takenHashes = (hashes: string): string =>
  `SELECT hash AS id FROM api_keys WHERE hash = ANY(${hashes})
   UNION ALL SELECT hash FROM release_access_keys WHERE hash = ANY(${hashes})
   UNION ALL SELECT client_secret_hash FROM oauth_applications WHERE client_secret_hash = ANY(${hashes})`;

/** Sets the hashes of client secrets of applications. @param secrets a relation (id, hash), where ids of apps begin with A0 */
export const setClientSecrets = (secrets: string): string =>
  `UPDATE oauth_applications c SET client_secret_hash = s.hash FROM ${secrets} s
     WHERE s.id NOT LIKE 'A0%' AND c.id = CASE WHEN s.id LIKE 'A0%' THEN NULL ELSE s.id END::uuid`;

/** The keys of a tenant that operators configure, as rows (tbl, key, row) of a sandbox's images. */
export const defaultKeyImages = (tenant: string): string =>
  `SELECT 'api_keys', jsonb_build_object('id', k.id)::text, to_jsonb(k) FROM api_keys k JOIN organizations o ON o.id = k.organization_id
     WHERE o.tenant_id = ${tenant} AND k.is_default`;
