import { eachOf, statement } from '../../kernel/database/statement.js';

/*
 * Hand-written: every call looks up its caller, and concurrent look-ups are one statement. Tables of other rooms:
 * api_keys, oauth_authorizations, oauth_tokens, release_access_keys, tracker_notification_subscriptions,
 * tracker_webhooks. A caller is known by credentials of many rooms, with what every call of theirs asks for.
 */

const CALLER = `
  u.id AS "userId", u.organization_id AS "organizationId", o.tenant_id AS "tenantId", sb.flags AS sandbox, u.account_id AS "accountId",
  u.name, u.display_name AS "displayName", u.email, u.avatar_url AS "avatarUrl", u.active, u.admin, u.owner,
  u.last_seen AS "lastSeen", o.url_key AS "urlKey", o.name AS "organizationName",
  o.git_branch_format AS "gitBranchFormat",
  ARRAY(SELECT t.id FROM teams t WHERE t.organization_id = u.organization_id AND (t.private OR NOT u.all_public_teams)
    AND NOT EXISTS (SELECT 1 FROM team_memberships m WHERE m.team_id = t.id AND m.user_id = u.id)) AS "hiddenTeamIds",
  ARRAY(SELECT t.id FROM teams t WHERE t.organization_id = u.organization_id AND t.archived_at IS NOT NULL
    ) AS "archivedTeamIds",
  EXISTS (SELECT FROM tracker_notification_subscriptions s WHERE s.organization_id = u.organization_id) AS "hasSubscriptions",
  EXISTS (SELECT FROM tracker_webhooks w WHERE w.organization_id = u.organization_id AND w.application_id IS NOT NULL
    AND w.enabled AND 'AgentSessionEvent' = ANY(w.resource_types)) AS "hasAgents"`;

export const BY_API_KEY = statement(
  'tracker_viewer_by_api_key',
  `SELECT k.n::int AS n, a.id AS "apiKeyId", a.revoked_at IS NOT NULL AS revoked, a.last_used_at AS "lastUsedAt", ${CALLER}
   FROM ${eachOf('$1::text[]')} AS k (hash, n)
   JOIN api_keys a ON a.hash = k.hash
   LEFT JOIN tracker_users u ON u.id = a.user_id
   LEFT JOIN organizations o ON o.id = u.organization_id
   LEFT JOIN sandboxes sb ON sb.tenant_id = o.tenant_id`,
);

export const BY_ACCOUNT = statement(
  'tracker_viewer_by_account',
  `SELECT k.n::int AS n, NULL::uuid AS "apiKeyId", s.ended_at IS NOT NULL AS revoked, NULL::timestamptz AS "lastUsedAt",
     a.deactivated_at IS NOT NULL AS deactivated, k.organization_id IS NULL AS unclaimed, ${CALLER}
   FROM ${eachOf('$1::text[]', '$2::text[]', '$3::uuid[]')} AS k (account_id, sid, organization_id, n)
   JOIN sessions s ON s.sid = k.sid AND s.account_id = k.account_id
   JOIN accounts a ON a.id = k.account_id
   LEFT JOIN tracker_users u ON u.account_id = k.account_id AND u.organization_id = k.organization_id
   LEFT JOIN organizations o ON o.id = u.organization_id
   LEFT JOIN sandboxes sb ON sb.tenant_id = o.tenant_id`,
);

/** A person of a tenant ($1), by the account ($2). */
export const BY_PERSON = statement(
  'tracker_viewer_of_person',
  `SELECT 1 AS n, NULL::uuid AS "apiKeyId", false AS revoked, ${CALLER}
   FROM organizations o JOIN tracker_users u ON u.organization_id = o.id AND u.account_id = $2
   LEFT JOIN sandboxes sb ON sb.tenant_id = o.tenant_id
   WHERE o.tenant_id = $1`,
);

/** The application must be there still, and the organization that registered it. */
export const BY_OAUTH_TOKEN = statement(
  'tracker_viewer_by_oauth_token',
  `SELECT k.n::int AS n, NULL::uuid AS "apiKeyId", t.revoked_at IS NOT NULL OR z.ended_at IS NOT NULL AS revoked,
     NULL::timestamptz AS "lastUsedAt", t.expires_at AS "expiresAt",
     json_build_object('applicationId', p.id, 'applicationName', p.name, 'imageUrl', p.image_url, 'actor', z.actor, 'scopes', t.scopes) AS oauth,
     ${CALLER}
   FROM ${eachOf('$1::text[]')} AS k (hash, n)
   JOIN oauth_tokens t ON t.hash = k.hash AND t.kind = 'access'
   JOIN oauth_authorizations z ON z.id = t.authorization_id
   JOIN oauth_applications p ON p.id = z.application_id
   JOIN organizations h ON h.id = p.organization_id
   JOIN tenants ht ON ht.id = h.tenant_id AND ht.deleted_at IS NULL
   JOIN tracker_users u ON u.id = z.user_id
   JOIN organizations o ON o.id = u.organization_id
   LEFT JOIN sandboxes sb ON sb.tenant_id = o.tenant_id`,
);

/** As whoever made it. */
export const BY_RELEASE_KEY = statement(
  'tracker_viewer_by_release_key',
  `SELECT k.n::int AS n, NULL::uuid AS "apiKeyId", a.revoked_at IS NOT NULL AS revoked, a.last_used_at AS "lastUsedAt",
     json_build_object('id', a.id, 'pipelineId', a.pipeline_id) AS "releaseKey", ${CALLER}
   FROM ${eachOf('$1::text[]')} AS k (hash, n)
   JOIN release_access_keys a ON a.hash = k.hash
   JOIN tracker_users u ON u.id = a.user_id
   JOIN organizations o ON o.id = u.organization_id
   LEFT JOIN sandboxes sb ON sb.tenant_id = o.tenant_id`,
);

export const TOUCH = statement(
  'tracker_touch',
  `WITH users AS (
     UPDATE tracker_users SET last_seen = $1 WHERE id = ANY($2::uuid[])
       AND (last_seen IS NULL OR last_seen <= $1::timestamptz - interval '1 minute')),
   keys AS (
     UPDATE release_access_keys SET last_used_at = $1 WHERE id = ANY($4::uuid[])
       AND (last_used_at IS NULL OR last_used_at <= $1::timestamptz - interval '1 minute'))
   UPDATE api_keys SET last_used_at = $1 WHERE id = ANY($3::uuid[])
     AND (last_used_at IS NULL OR last_used_at <= $1::timestamptz - interval '1 minute')`,
  { keeps: 'everything' },
);
