import type { Tx } from '../../kernel/database/db.js';
import { statement, StatementShapes, type Statement } from '../../kernel/database/statement.js';
import { reactionsAsJson } from '../reactions/reactions.queries.js';
import { Facts, type Kind, type Question, type FactIds } from './issue-facts.js';

/*
 * The facts about everything that a changing issue refers to, of all kinds. Hand-written: one statement loads all of
 * them. Rows may belong to any organization; `Facts` gives a caller those it may see, so that one transaction can serve
 * several callers. Tables of other rooms: issue_to_releases, release_pipeline_teams, release_stages, releases. Issues
 * are put into releases as they change.
 */

/** Deeper than any chain can get (docs/reference/tracker.md#issue), so that a cycle would end too. */
const LEVELS_MAX = 20;

const end = (direction: 'ASC' | 'DESC'): string =>
  `(SELECT x.sort_order FROM issues x WHERE x.team_id = t.id ORDER BY x.sort_order ${direction} LIMIT 1)`;

const STATE = `w.id, w.organization_id AS "organizationId", w.team_id AS "teamId", w.name, w.type, w.color, w.position,
  w.archived_at IS NOT NULL AS "isArchived"`;

const STATES = `SELECT ${STATE} FROM workflow_states w WHERE w.id = ANY($::uuid[])`;
const CYCLES = `SELECT y.id, y.organization_id AS "organizationId", y.team_id AS "teamId", y.number, y.name,
  y.starts_at AS "startsAt", y.ends_at AS "endsAt", y.archived_at IS NOT NULL AS "isArchived"
  FROM cycles y WHERE y.id = ANY($::uuid[])`;
const LABELS = `SELECT l.id, l.organization_id AS "organizationId", l.team_id AS "teamId", l.name, l.color,
  l.is_group AS "isGroup", l.parent_id AS "parentId", l.retired_by_id AS "retiredById" FROM issue_labels l WHERE l.id = ANY($::uuid[])`;
const RELEASE = `e.id, e.name, e.version, e.completed_at AS "completedAt",
  (SELECT json_build_object('id', s.id, 'name', s.name, 'type', s.type, 'color', s.color, 'position', s.position)
    FROM release_stages s WHERE s.id = e.stage_id) AS stage,
  nullif(ARRAY(SELECT x.team_id FROM release_pipeline_teams x WHERE x.pipeline_id = e.pipeline_id), '{}') AS "teamIds",
  coalesce((SELECT bool_or(NOT t.private) FROM release_pipeline_teams x JOIN teams t ON t.id = x.team_id
    WHERE x.pipeline_id = e.pipeline_id), true) AS "isPublic"`;
const HOLD = 'ORDER BY id FOR KEY SHARE';

/** The select for each kind; `$` is its list of ids. */
const selects: Record<Question, { kind: Kind; text: string; hasSeveralEach?: true }> = {
  team: {
    kind: 'team',
    text: `SELECT t.id, t.organization_id AS "organizationId", t.key, t.name, t.private,
      t.archived_at IS NOT NULL AS "isArchived", t.issue_counter AS "issueCounter",
      t.default_issue_state_id AS "defaultIssueStateId",
      t.set_issue_sort_order_on_state_change AS "setIssueSortOrderOnStateChange",
      ${end('ASC')} AS least, ${end('DESC')} AS most
      FROM teams t WHERE t.id = ANY($::uuid[])`,
  },
  state: { kind: 'state', text: STATES },
  heldState: { kind: 'state', text: `${STATES} ${HOLD}` },
  statesOf: {
    kind: 'state',
    text: `SELECT ${STATE} FROM workflow_states w WHERE w.team_id = ANY($::uuid[])`,
    hasSeveralEach: true,
  },
  user: {
    kind: 'user',
    text: `SELECT u.id, u.organization_id AS "organizationId", u.name, u.display_name AS "displayName", u.email,
      u.avatar_url AS "avatarUrl", u.active AND u.can_be_assigned AS active,
      u.application_id AS "applicationId", u.all_public_teams AS "allPublicTeams",
      ARRAY(SELECT m.team_id FROM team_memberships m JOIN teams t ON t.id = m.team_id AND (t.private OR NOT u.all_public_teams)
        WHERE m.user_id = u.id) AS "privateTeamIds"
      FROM tracker_users u WHERE u.id = ANY($::uuid[])`,
  },
  project: {
    kind: 'project',
    text: `SELECT p.id, p.organization_id AS "organizationId", p.name, p.slug_id AS "slugId",
      ARRAY(SELECT x.team_id FROM project_teams x WHERE x.project_id = p.id) AS "teamIds"
      FROM projects p WHERE p.id = ANY($::uuid[])`,
  },
  milestone: {
    kind: 'milestone',
    text: `SELECT m.id, m.organization_id AS "organizationId", m.project_id AS "projectId",
      ARRAY(SELECT x.team_id FROM project_teams x WHERE x.project_id = m.project_id) AS "teamIds"
      FROM project_milestones m WHERE m.id = ANY($::uuid[]) ${HOLD}`,
  },
  cycle: { kind: 'cycle', text: CYCLES },
  heldCycle: { kind: 'cycle', text: `${CYCLES} ${HOLD}` },
  label: { kind: 'label', text: LABELS },
  heldLabel: { kind: 'label', text: `${LABELS} ${HOLD}` },
  comment: {
    kind: 'comment',
    text: `SELECT c.id, c.organization_id AS "organizationId",
      CASE WHEN c.issue_id IS NULL
        THEN ARRAY(SELECT x.team_id FROM project_teams x WHERE x.project_id = coalesce(c.project_id,
          (SELECT u.project_id FROM project_updates u WHERE u.id = c.project_update_id)))
        ELSE ARRAY(SELECT x.team_id FROM issues x WHERE x.id = c.issue_id) END AS "teamIds"
      FROM comments c WHERE c.id = ANY($::uuid[])`,
  },
  template: {
    kind: 'template',
    text: `SELECT p.id, p.organization_id AS "organizationId", p.team_id AS "teamId"
      FROM templates p WHERE p.id = ANY($::uuid[]) ${HOLD}`,
  },
  release: {
    kind: 'release',
    text: `SELECT ${RELEASE}, e.organization_id AS "organizationId" FROM releases e WHERE e.id = ANY($::uuid[]) ${HOLD}`,
  },
  parent: {
    kind: 'parent',
    text: `SELECT p.id, p.organization_id AS "organizationId", p.team_id AS "teamId",
      ARRAY(WITH RECURSIVE above (id, level) AS (
          SELECT p.parent_id, 1 WHERE p.parent_id IS NOT NULL
          UNION ALL SELECT x.parent_id, above.level + 1 FROM above JOIN issues x ON x.id = above.id
            WHERE x.parent_id IS NOT NULL AND above.level < ${LEVELS_MAX})
        SELECT above.id FROM above) AS "ancestorIds",
      (SELECT max(x.sub_issue_sort_order) FROM issues x WHERE x.parent_id = p.id) AS "lastChild"
      FROM issues p WHERE p.id = ANY($::uuid[])`,
  },
  issue: {
    kind: 'issue',
    text: `SELECT i.id, i.organization_id AS "organizationId",
      ARRAY(SELECT s.user_id FROM issue_subscribers s WHERE s.issue_id = i.id ORDER BY s.user_id) AS "subscriberIds",
      (WITH RECURSIVE below (id, level) AS (
          SELECT i.id, 0
          UNION ALL SELECT x.id, below.level + 1 FROM below JOIN issues x ON x.parent_id = below.id
            WHERE below.level < ${LEVELS_MAX})
        SELECT max(below.level) FROM below) AS height,
      ${reactionsAsJson('issue_id', 'i.id')} AS reactions,
      coalesce((SELECT json_agg(r ORDER BY r."addedAt", r.id) FROM (SELECT ${RELEASE}, x.created_at AS "addedAt"
        FROM issue_to_releases x JOIN releases e ON e.id = x.release_id WHERE x.issue_id = i.id) r), '[]') AS releases
      FROM issues i WHERE i.id = ANY($::uuid[])`,
  },
  taken: {
    kind: 'taken',
    text: `SELECT i.id, i.organization_id AS "organizationId" FROM issues i WHERE i.id = ANY($::uuid[])`,
  },
};

const statements = new StatementShapes('tracker_issue_facts');

const statementFor = (asked: readonly Question[]): Statement =>
  statements.of(asked.join(' '), () =>
    asked
      .map((name, i) => {
        const { kind, text, hasSeveralEach } = selects[name];
        const ids = `$${i + 1}`;
        // as in `eachOf`
        const limit = hasSeveralEach ? '' : `LIMIT cardinality(${ids}::uuid[])`;
        return `SELECT '${kind}' AS kind, row_to_json(r)::text AS fact FROM (${text.replace('$', () => ids)} ${limit}) r`;
      })
      .join(' UNION ALL '),
  );

/** Teams in the order of their ids. @param condition one more */
const holding = (name: string, condition = ''): Statement =>
  statement(
    name,
    `SELECT t.id FROM teams t WHERE t.id = ANY($1::uuid[]) AND t.organization_id = ANY($2::uuid[]) ${condition}
   ORDER BY t.id FOR NO KEY UPDATE`,
  );

const HOLD_TEAMS = holding('tracker_hold_teams');
/** Sets, before anything is locked, how long a transaction that serves several organizations waits for locks of one. */
const HOLD_TEAMS_SHORTLY = holding(
  'tracker_hold_teams_shortly',
  `AND (SELECT set_config('lock_timeout', '100ms', true)) IS NOT NULL`,
);

/**
 * Locks teams whose counters will be taken, in the order of ids: before any issue is locked, and in a statement of its
 * own, so that later reads see the state after the lock.
 * @param options.waitsShortly from here on the transaction fails instead of waiting long for a lock: 55P03
 */
export async function holdTeams(
  tx: Tx,
  teamIds: Iterable<string>,
  organizationIds: Iterable<string>,
  { waitsShortly }: { waitsShortly: boolean } = { waitsShortly: false },
): Promise<void> {
  const hold = waitsShortly ? HOLD_TEAMS_SHORTLY : HOLD_TEAMS;
  await tx.query(hold, [[...new Set(teamIds)], [...new Set(organizationIds)]]);
}

/**
 * A project's teams are rows of another table. Under READ COMMITTED a statement that waited for the project would show
 * its teams as of before the wait, so they are read by a later one.
 */
const HOLD_PROJECTS = statement(
  'tracker_hold_projects',
  `SELECT p.id FROM projects p WHERE p.id = ANY($1::uuid[]) ${HOLD}`,
);

/**
 * One statement for everything that is needed, preceded by one when projects are locked; none when nothing is needed.
 */
export async function loadFacts(tx: Pick<Tx, 'query'>, { heldProject, ...others }: FactIds): Promise<Facts> {
  const wanted = { ...others };
  if (heldProject && heldProject.size > 0) {
    await tx.query(HOLD_PROJECTS, [[...heldProject]]);
    wanted.project = new Set([...heldProject, ...(others.project ?? [])]);
  }
  const asked = (Object.keys(selects) as Question[]).filter((name) => (wanted[name]?.size ?? 0) > 0);
  if (asked.length === 0) return new Facts([]);
  const values = asked.map((name) => [...(wanted[name] as Set<string>)]);
  return new Facts(await tx.query<{ kind: Kind; fact: string }>(statementFor(asked), values));
}
