import { statement } from '../../kernel/database/statement.js';

/* Hand-written: installing for tests reads a tenant with one of its people, and lists of rows that are joined. */

/** The organization of a tenant with who is named ($2), or its first owner; whoever it is without an account is no person. */
export const CONSENTING = statement(
  'tracker_oauth_consenting',
  `SELECT o.id AS "organizationId", o.url_key AS "urlKey", u.id AS "userId", u.account_id AS "accountId",
     u.application_id IS NOT NULL AS "isBot"
   FROM organizations o LEFT JOIN LATERAL (
     SELECT u.id, u.account_id, u.application_id FROM tracker_users u
     WHERE u.organization_id = o.id AND u.active
       AND CASE WHEN $2::text IS NULL THEN u.owner
                ELSE lower(u.display_name) = lower($2) OR u.id::text = lower($2) OR u.account_id = $2 OR lower(u.email) = lower($2) END
     ORDER BY u.created_at, u.id LIMIT 1) u ON true
   WHERE o.tenant_id = $1::bigint`,
);

export interface ConsentingRow extends Record<string, unknown> {
  readonly organizationId: string;
  readonly urlKey: string;
  readonly userId: string | null;
  readonly accountId: string | null;
  readonly isBot: boolean | null;
}

/** An application of a tenant by its name or id ($2), or by a client id ($3) one that may be authorized there. */
export const INSTALLABLE = statement(
  'tracker_oauth_installable',
  `SELECT p.id, p.name, p.client_id AS "clientId" FROM oauth_applications p JOIN organizations o ON o.id = p.organization_id
   WHERE (p.client_id = $3 AND (p.is_public OR o.tenant_id = $1::bigint))
      OR ($3::text IS NULL AND o.tenant_id = $1::bigint AND (p.name = $2 OR p.id::text = lower($2)))
   ORDER BY p.created_at, p.id LIMIT 1`,
);

export interface InstallationRow extends Record<string, unknown> {
  readonly appId: string;
  readonly clientId: string | null;
  readonly name: string;
  readonly organizationId: string;
  readonly appUserId: string | null;
  readonly appScopes: string[];
  readonly userScopes: string[];
  readonly users: string[];
  readonly installed: number;
  readonly home: boolean;
}

/** Applications that are authorized in a tenant. */
export const INSTALLATIONS = statement(
  'tracker_oauth_installations',
  `SELECT z.application_id AS "appId", p.client_id AS "clientId", p.name, z.organization_id AS "organizationId",
     (array_agg(z.user_id::text) FILTER (WHERE z.actor = 'app'))[1] AS "appUserId",
     coalesce((array_agg(to_jsonb(z.scopes)) FILTER (WHERE z.actor = 'app'))[1], '[]') AS "appScopes",
     coalesce((SELECT jsonb_agg(DISTINCT s ORDER BY s) FROM oauth_authorizations y, unnest(y.scopes) s
               WHERE y.application_id = z.application_id AND y.organization_id = z.organization_id AND y.actor = 'user' AND y.ended_at IS NULL), '[]') AS "userScopes",
     coalesce(array_agg(z.user_id::text ORDER BY z.created_at) FILTER (WHERE z.actor = 'user'), '{}') AS users,
     floor(extract(epoch FROM min(z.created_at)))::float8 AS installed, p.organization_id = z.organization_id AS home
   FROM oauth_authorizations z JOIN organizations o ON o.id = z.organization_id
   JOIN oauth_applications p ON p.id = z.application_id
   WHERE o.tenant_id = $1::bigint AND z.ended_at IS NULL
   GROUP BY z.application_id, z.organization_id, p.client_id, p.name, p.organization_id
   ORDER BY min(z.created_at), z.application_id LIMIT 1000`,
);

/** Live tokens of a tenant: the one with the hash $2, or those of an application ($3: name or id), a kind ($4) and a person ($5). */
export const TOKENS = statement(
  'tracker_oauth_tokens_of_tenant',
  `SELECT t.hash, z.id AS "authorizationId", z.organization_id AS "organizationId", z.application_id AS "applicationId"
   FROM oauth_tokens t JOIN oauth_authorizations z ON z.id = t.authorization_id
   JOIN organizations o ON o.id = z.organization_id LEFT JOIN oauth_applications p ON p.id = z.application_id
   WHERE o.tenant_id = $1::bigint AND t.revoked_at IS NULL AND CASE WHEN $2::text IS NOT NULL THEN t.hash = $2
     ELSE (p.name = $3 OR p.id::text = lower($3)) AND t.kind = $4 AND ($5::uuid IS NULL OR z.user_id = $5::uuid) END
   ORDER BY t.created_at DESC LIMIT 1000`,
);

export interface TokenRow extends Record<string, unknown> {
  readonly hash: string;
  readonly authorizationId: string;
  readonly organizationId: string;
  readonly applicationId: string;
}
