import { sqlNowMicros } from '../../../kernel/clock/clock.js';
import { columnsOf } from '../../../kernel/database/columns.js';
import { statement } from '../../../kernel/database/statement.js';
import { keyedLoader } from '../../store/keyed-loader.js';
import { AgentSession } from './agent-session.entity.js';

/* Hand-written: who is an agent, what an agent is told and what is due are joined rows of several tables. */

const IS_AGENT = `u.active AND w.enabled AND 'AgentSessionEvent' = ANY(w.resource_types)`;
const HOOK = `JOIN tracker_webhooks w ON w.organization_id = u.organization_id AND w.application_id = u.application_id`;

export interface Agent extends Record<string, unknown> {
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
  readonly avatarUrl: string | null;
  readonly applicationId: string;
  readonly canBeMentioned: boolean;
}

/** Users of applications with agent sessions, in an organization ($1), that see a team ($2). */
export const AGENTS_OF_TEAM = statement(
  'tracker_agents_of_team',
  `SELECT u.id, u.name, u.display_name AS "displayName", u.avatar_url AS "avatarUrl", u.application_id AS "applicationId",
     u.can_be_mentioned AS "canBeMentioned"
   FROM tracker_users u ${HOOK} JOIN teams t ON t.id = $2::uuid
   WHERE u.organization_id = $1::uuid AND ${IS_AGENT}
     AND (NOT t.private AND u.all_public_teams OR EXISTS (SELECT FROM team_memberships m WHERE m.team_id = t.id AND m.user_id = u.id))
   ORDER BY u.created_at, u.id`,
);

export const isAgentUser = keyedLoader<{ key: string }, boolean>({
  statement: statement(
    'tracker_agent_users',
    `SELECT u.id AS key FROM tracker_users u ${HOOK}
     WHERE u.id = ANY($1::uuid[]) AND u.organization_id = $2::uuid AND ${IS_AGENT}`,
  ),
  values: (ids, viewer) => [ids, viewer.organizationId],
  answer: (rows) => rows.length > 0,
});

/** The session that wrote a comment, or whose thread it begins: the newest. */
export const sessionOfComment = keyedLoader<AgentSession & { key: string }, AgentSession | null>({
  statement: statement(
    'tracker_session_of_comments',
    `SELECT DISTINCT ON (x.key) x.key, ${columnsOf(AgentSession, 'gs')} FROM (
       SELECT a.source_comment_id AS key, a.agent_session_id AS id FROM tracker_agent_activities a
       WHERE a.source_comment_id = ANY($1::uuid[]) AND a.type <> 'prompt'
       UNION ALL SELECT s.comment_id, s.id FROM tracker_agent_sessions s WHERE s.comment_id = ANY($1::uuid[])) x
     JOIN tracker_agent_sessions gs ON gs.id = x.id AND gs.organization_id = $2::uuid
     ORDER BY x.key, gs.created_at DESC, gs.id DESC`,
  ),
  values: (ids, viewer) => [ids, viewer.organizationId],
  answer: ([session]) => session ?? null,
});

export interface ContextIssue extends Record<string, unknown> {
  readonly identifier: string;
  readonly title: string;
  readonly description: string | null;
  readonly team: string;
  readonly teamId: string;
  readonly teamKey: string;
  readonly labels: string[];
  readonly parentIdentifier: string | null;
  readonly parentTitle: string | null;
  readonly project: string | null;
  readonly projectDescription: string | null;
  readonly teamGuidance: string | null;
  readonly guidance: string | null;
}

/** What an agent is told of an issue ($1). Its parent may be in a team that the agent does not see. */
export const CONTEXT_ISSUE = statement(
  'tracker_agent_context_issue',
  `SELECT i.identifier, i.title, i.description, t.name AS team, t.id AS "teamId", t.key AS "teamKey",
     p.name AS project, p.description AS "projectDescription",
     ARRAY(SELECT l.name FROM unnest(i.label_ids) WITH ORDINALITY x (id, n) JOIN issue_labels l ON l.id = x.id ORDER BY x.n) AS labels,
     a.identifier AS "parentIdentifier", a.title AS "parentTitle",
     t.agent_guidance AS "teamGuidance", o.agent_guidance AS guidance
   FROM issues i JOIN teams t ON t.id = i.team_id JOIN organizations o ON o.id = i.organization_id
   LEFT JOIN projects p ON p.id = i.project_id
   LEFT JOIN issues a ON a.id = i.parent_id
     AND (a.team_id = i.team_id OR EXISTS (SELECT FROM teams s WHERE s.id = a.team_id AND NOT s.private))
   WHERE i.id = $1::uuid`,
);

export interface ContextComment extends Record<string, unknown> {
  readonly id: string;
  readonly parentId: string | null;
  readonly body: string;
  readonly author: string;
  readonly userId: string | null;
  readonly createdAt: Date;
}

/** The thread of a comment ($2) of an issue ($1) and its 50 newest others, the oldest comment first. */
export const CONTEXT_COMMENTS = statement(
  'tracker_agent_context_comments',
  `WITH others AS (
     SELECT c.id FROM comments c WHERE c.issue_id = $1::uuid AND c.parent_id IS NULL AND c.id <> $2::uuid
     ORDER BY c.created_at DESC, c.id DESC LIMIT 50),
   threads AS (SELECT id FROM others UNION ALL SELECT $2::uuid)
   SELECT c.id, c.parent_id AS "parentId", c.body, c.user_id AS "userId", c.created_at AS "createdAt",
     coalesce(u.name, c.bot_actor->>'name', '') AS author
   FROM comments c LEFT JOIN tracker_users u ON u.id = c.user_id
   WHERE c.issue_id = $1::uuid AND (c.id IN (SELECT id FROM threads) OR c.parent_id IN (SELECT id FROM threads))
   ORDER BY c.created_at, c.id`,
);

const DUE = `least(s.stale_at, s.unresponsive_at)`;

export interface DueSession extends Record<string, unknown> {
  readonly id: string;
  readonly flags: string | null;
}

/**
 * Sessions of which something is due by the clocks of their sandboxes. $1: the clock's offset in real time. What waits is
 * looked up once, not for each organization, and by ranges, for which the indexes are used before the table is analyzed
 * as well: the clocks ask several times a second.
 */
export const DUE_SESSIONS = statement(
  'tracker_agent_sessions_due',
  `WITH s AS MATERIALIZED (
     SELECT id, organization_id, stale_at, unresponsive_at FROM tracker_agent_sessions
     WHERE stale_at BETWEEN '-infinity' AND 'infinity' OR unresponsive_at BETWEEN '-infinity' AND 'infinity')
   SELECT s.id, b.flags FROM s JOIN organizations o ON o.id = s.organization_id
   JOIN tenants t ON t.id = o.tenant_id AND t.deleted_at IS NULL
   LEFT JOIN sandboxes b ON b.tenant_id = o.tenant_id
   WHERE (extract(epoch FROM ${DUE}) * 1000000)::bigint
       <= coalesce(b.clock_frozen_at, ${sqlNowMicros('$1')} + coalesce(b.clock_offset, 0))
   ORDER BY ${DUE} LIMIT 100`,
);

/** The soonest moment at which something is due in a tenant's ($1) sessions, in microseconds. */
export const NEXT_DUE = statement(
  'tracker_agent_sessions_next',
  `SELECT (extract(epoch FROM min(${DUE})) * 1000000)::float8 AS at
   FROM organizations o JOIN tracker_agent_sessions s ON s.organization_id = o.id
     AND (s.stale_at IS NOT NULL OR s.unresponsive_at IS NOT NULL)
   WHERE o.tenant_id = $1`,
);
