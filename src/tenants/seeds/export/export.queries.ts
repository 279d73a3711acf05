import { columnsOf } from '../../../kernel/database/columns.js';
import { statement } from '../../../kernel/database/statement.js';
import { Usergroup } from '../../../messaging/store/usergroup.entity.js';

/* Hand-written: whole tables of a tenant in one snapshot, each in the seed's own format. */

/** All statements of an export see one snapshot. */
export const ONE_MOMENT = 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY';

export const SANDBOX = statement(
  'export_sandbox',
  `SELECT s.name, s.labels, s.journal, s.methods, s.rate_limit_multiplier AS "rateLimitMultiplier",
     s.missing_scope_status AS "missingScopeStatus", nullif(s.urls, 'server') AS urls, s.clock_offset AS "clockOffset", s.clock_frozen_at AS "frozenAt",
     s.clock_tick_ms AS "tickMs", s.id_key IS NOT NULL AS "hasOwnIds", s.deterministic, s.random_seed AS "randomSeed",
     w.id AS "workspaceId", w.name AS "teamName", w.domain, w.creator_id AS "adminId", o.id AS "organizationId"
   FROM sandboxes s JOIN workspaces w ON w.tenant_id = s.tenant_id LEFT JOIN organizations o ON o.tenant_id = s.tenant_id
   WHERE s.tenant_id = $1`,
);

export const SIZES = statement(
  'export_sizes',
  `SELECT (SELECT count(*) FROM conversations c JOIN messages m ON m.conversation_id = c.id WHERE c.workspace_id = $1)::int AS messages,
     (SELECT coalesce(sum(length(m.wire)), 0) FROM conversations c JOIN messages m ON m.conversation_id = c.id
      WHERE c.workspace_id = $1)::float8 AS bytes,
     (SELECT count(*) FROM issues i WHERE i.organization_id = $2::uuid AND i.archived_at IS NULL)::int AS issues`,
);

export const PEOPLE = statement(
  'export_people',
  `SELECT u.id, u.name, u.role, u.email, u.profile, u.presence, t.id::text AS "trackerId" FROM users u
   LEFT JOIN tracker_users t ON t.account_id = u.id AND t.organization_id = $2::uuid
   WHERE u.workspace_id = $1 AND NOT u.is_bot ORDER BY u.name`,
);

/** Members of the organization who are not in the workspace. */
export const TRACKER_PEOPLE = statement(
  'export_tracker_people',
  `SELECT t.id::text AS "trackerId", t.account_id AS id, t.display_name AS "displayName", t.name, t.email, t.admin
   FROM tracker_users t WHERE t.organization_id = $2::uuid AND t.application_id IS NULL
     AND NOT EXISTS (SELECT FROM users u WHERE u.workspace_id = $1 AND u.id = t.account_id) ORDER BY t.display_name`,
);

export const APPS = statement(
  'export_apps',
  `SELECT a.id, a.name, a.bot_id AS "botId", a.bot_user_id AS "botUserId", a.bot_scopes AS "botScopes",
     a.user_scopes AS "userScopes", a.interactivity_url AS "interactivityUrl", a.manifest, a.is_default AS "isDefault",
     a.socket_mode AS "socketMode", a.is_distributed AS "isDistributed", a.installed_at IS NOT NULL AS "isInstalled",
     coalesce((SELECT json_agg(DISTINCT u.name) FROM tokens t JOIN users u ON u.workspace_id = t.workspace_id AND u.id = t.user_id AND NOT u.is_bot
       WHERE t.workspace_id = a.workspace_id AND t.app_id = a.id AND t.kind = 'user' AND t.is_consented AND t.revoked_at IS NULL), '[]') AS people,
     EXISTS (SELECT FROM tokens t WHERE t.workspace_id = a.workspace_id AND t.app_id = a.id AND t.kind = 'refresh' AND t.revoked_at IS NULL) AS "isRotating",
     coalesce((SELECT json_agg(json_build_object('command', c.command, 'url', c.url, 'description', c.description,
        'usage_hint', c.usage_hint) ORDER BY c.command) FROM slash_commands c WHERE c.workspace_id = a.workspace_id AND c.app_id = a.id), '[]') AS commands,
     (SELECT json_build_object('url', e.url, 'names', e.names) FROM event_targets e
      WHERE e.workspace_id = a.workspace_id AND e.app_id = a.id AND NOT e.is_socket ORDER BY e.created_at, e.id LIMIT 1) AS subscription
   FROM apps a WHERE a.workspace_id = $1 AND a.home_id IS NULL ORDER BY a.name, a.created_at, a.id`,
);

export const CONVERSATIONS = statement(
  'export_conversations',
  `SELECT c.id, c.type, c.name, c.topic, c.purpose, c.is_general AS "isGeneral",
     coalesce((SELECT array_agg(m.user_id) FROM members m WHERE m.conversation_id = c.id), '{}') AS members
   FROM conversations c WHERE c.workspace_id = $1 ORDER BY c.name, c.id`,
);

/** Messages of people and bots: no system messages, no tombstones, no messages of webhooks, none that is still being streamed. */
export const MESSAGES = statement(
  'export_messages',
  `SELECT m.conversation_id AS "conversationId", m.ts, m.thread_ts AS "threadTs", m.user_id AS "userId", m.bot_id AS "botId",
     m.text, m.reactions, CASE WHEN m.wire LIKE '%"blocks":%' OR m.wire LIKE '%"attachments":%' THEN m.wire END AS wire
   FROM conversations c JOIN messages m ON m.conversation_id = c.id
   WHERE c.workspace_id = $1 AND (m.subtype IS NULL OR m.subtype = 'thread_broadcast') AND m.user_id IS NOT NULL
     AND NOT EXISTS (SELECT FROM message_streams s WHERE s.conversation_id = m.conversation_id AND s.ts = m.ts AND s.state = 'open')
   ORDER BY m.conversation_id, m.ts`,
);

/** Bookmarks of a workspace's conversations, in their order. */
export const BOOKMARKS = statement(
  'export_bookmarks',
  `SELECT b.conversation_id AS "conversationId", b.title, b.link, b.emoji FROM conversations c
   JOIN bookmarks b ON b.conversation_id = c.id WHERE c.workspace_id = $1 ORDER BY b.conversation_id, b.rank, b.id`,
);

/** Those that are enabled. */
export const USERGROUPS = statement(
  'export_usergroups',
  `SELECT ${columnsOf(Usergroup, 'g')} FROM usergroups g WHERE g.workspace_id = $1 AND g.deleted_at IS NULL ORDER BY g.name`,
);

export const INCOMING = statement(
  'export_incoming',
  `SELECT h.id, h.app_id AS "appId", h.conversation_id AS "conversationId", h.name, h.icons FROM incoming_webhooks h
   WHERE h.workspace_id = $1 ORDER BY h.created_at, h.name, h.id`,
);

export const OUTGOING = statement(
  'export_outgoing',
  `SELECT e.id, e.url, e.names, e.name, e.conversation_id AS "conversationId" FROM event_targets e
   WHERE e.workspace_id = $1 AND e.app_id IS NULL ORDER BY e.created_at, e.url, e.id`,
);

export const REFS = statement('export_refs', 'SELECT ref, thing FROM seed_refs WHERE tenant_id = $1 ORDER BY ref');

export const TEAMS = statement(
  'export_teams',
  `SELECT id::text, key, name, description, private, agent_guidance AS guidance, default_issue_state_id::text AS "defaultStateId",
     CASE WHEN private THEN ARRAY(SELECT m.user_id::text FROM team_memberships m JOIN tracker_users u ON u.id = m.user_id
       WHERE m.team_id = teams.id AND NOT m.owner ORDER BY lower(u.name), u.id) ELSE '{}' END AS members FROM teams
   WHERE organization_id = $1::uuid AND archived_at IS NULL ORDER BY key`,
);

export const STATES = statement(
  'export_states',
  `SELECT id::text, team_id::text AS "teamId", name, type, color, description FROM workflow_states
   WHERE organization_id = $1::uuid AND archived_at IS NULL ORDER BY position, name`,
);

export const LABELS = statement(
  'export_labels',
  `SELECT id::text, team_id::text AS "teamId", name, color, description FROM issue_labels
   WHERE organization_id = $1::uuid ORDER BY lower(name)`,
);

export const CYCLE_NUMBERS = statement(
  'export_cycle_numbers',
  `SELECT id::text, team_id::text AS "teamId", number FROM cycles WHERE organization_id = $1::uuid AND archived_at IS NULL`,
);

export const ISSUE_NAMES = statement(
  'export_issue_names',
  `SELECT id::text, identifier FROM issues WHERE organization_id = $1::uuid AND archived_at IS NULL`,
);

export const PROJECTS = statement(
  'export_projects',
  `SELECT p.id::text, p.name, p.description, p.content, p.priority, p.lead_id::text AS "leadId", s.name AS status,
     ARRAY(SELECT l.name FROM unnest(p.label_ids) WITH ORDINALITY x (id, n) JOIN project_labels l ON l.id = x.id ORDER BY x.n) AS labels,
     p.start_date::text AS "startDate", p.target_date::text AS "targetDate",
     coalesce((SELECT array_agg(t.team_id::text) FROM project_teams t WHERE t.project_id = p.id), '{}') AS teams,
     coalesce((SELECT array_agg(m.user_id::text) FROM project_members m WHERE m.project_id = p.id), '{}') AS members
   FROM projects p LEFT JOIN project_statuses s ON s.id = p.status_id
   WHERE p.organization_id = $1::uuid AND p.archived_at IS NULL ORDER BY p.name, p.created_at, p.id`,
);

export const ISSUES = statement(
  'export_issues',
  `SELECT i.id::text, i.team_id::text AS "teamId", i.number, i.identifier, i.title, i.description, i.priority, i.estimate,
     i.due_date::text AS "dueDate", i.state_id::text AS "stateId", i.assignee_id::text AS "assigneeId",
     i.creator_id::text AS "creatorId", i.project_id::text AS "projectId", i.cycle_id::text AS "cycleId",
     i.parent_id::text AS "parentId", i.label_ids AS "labelIds", i.created_at AS "createdAt",
     i.archived_at IS NOT NULL AS "isArchived",
     i.project_milestone_id::text AS "milestoneId",
     (SELECT t.name FROM templates t WHERE t.id = i.last_applied_template_id) AS template,
     (SELECT p.name FROM tracker_users u JOIN oauth_applications p ON p.id = u.application_id
      WHERE u.id = i.delegate_id AND u.active AND u.can_be_assigned AND p.organization_id = i.organization_id AND NOT p.is_default) AS delegate,
     ARRAY(SELECT s.user_id::text FROM issue_subscribers s JOIN tracker_users u ON u.id = s.user_id
       WHERE s.issue_id = i.id ORDER BY lower(u.name), u.id) AS "subscriberIds"
   FROM issues i WHERE i.organization_id = $1::uuid AND i.trashed IS NOT TRUE ORDER BY i.number`,
);

export const COMMENTS = statement(
  'export_comments',
  `SELECT c.id::text, c.issue_id::text AS "issueId", c.user_id::text AS "userId", c.body, c.created_at AS "createdAt",
     c.parent_id::text AS "parentId", c.resolving_user_id::text AS "resolvingUserId"
   FROM comments c WHERE c.organization_id = $1::uuid AND c.issue_id IS NOT NULL ORDER BY c.created_at, c.body, c.id`,
);

export const WEBHOOKS = statement(
  'export_webhooks',
  `SELECT id::text, url, label, resource_types AS "resourceTypes", team_id::text AS "teamId" FROM tracker_webhooks
   WHERE organization_id = $1::uuid AND application_id IS NULL ORDER BY created_at, url, id`,
);

export const GUIDANCE = statement(
  'export_guidance',
  'SELECT agent_guidance AS guidance FROM organizations WHERE id = $1::uuid',
);

/** Applications of OAuth with what was authorized last, but for the one that every organization begins with. */
export const APPLICATIONS = statement(
  'export_applications',
  `SELECT p.name, p.redirect_uris AS "redirectUris", p.has_client_credentials AS "hasClientCredentials", p.is_public AS "isPublic",
     p.webhook_url AS "webhookUrl", p.webhook_resource_types AS "resourceTypes", z.actor, z.scopes,
     coalesce(z.granted_by_id, z.user_id)::text AS "grantedById"
   FROM oauth_applications p LEFT JOIN LATERAL (
     SELECT z.actor, z.scopes, z.granted_by_id, z.user_id FROM oauth_authorizations z
     WHERE z.application_id = p.id AND z.organization_id = p.organization_id AND z.ended_at IS NULL
     ORDER BY z.updated_at DESC, z.id LIMIT 1) z ON true
   WHERE p.organization_id = $1::uuid AND NOT p.is_default ORDER BY p.created_at, p.name, p.id`,
);

/** Sessions of agents whose applications a document holds. */
export const SESSIONS = statement(
  'export_sessions',
  `SELECT s.id::text, s.issue_id::text AS "issueId", p.name AS app, s.status, s.creator_id::text AS "creatorId",
     s.is_delegated AS "isDelegated", s.dismissed_by_id::text AS "dismissedById", s.summary, s.plan,
     s.external_urls AS "externalUrls", s.external_link AS "externalLink", s.created_at AS "createdAt"
   FROM tracker_agent_sessions s JOIN tracker_users u ON u.id = s.app_user_id AND u.active
     JOIN oauth_applications p ON p.id = u.application_id AND p.organization_id = s.organization_id AND NOT p.is_default
   WHERE s.organization_id = $1::uuid ORDER BY s.created_at, p.name, s.id`,
);

export const ACTIVITIES = statement(
  'export_activities',
  `SELECT a.id::text, a.agent_session_id::text AS "sessionId", a.user_id::text AS "userId", a.type, a.content, a.ephemeral, a.signal,
     a.signal_metadata AS "signalMetadata", a.created_at AS "createdAt"
   FROM tracker_agent_activities a WHERE a.organization_id = $1::uuid ORDER BY a.created_at, a.id`,
);
