import type { Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { User } from '../organization/users/user.entity.js';
import { ProjectStatus } from './statuses/project-status.entity.js';
import { columnsOf } from '../../kernel/database/columns.js';
import type { Team } from '../teams/team.entity.js';

const PROJECT_ID = statement('tracker_project_id_taken', `SELECT 1 FROM projects p WHERE p.id = $1::uuid`);
const BACKLOG = statement(
  'tracker_backlog_status',
  `SELECT ${columnsOf(ProjectStatus, 's')} FROM project_statuses s
   WHERE s.organization_id = $1::uuid AND s.type = 'backlog' ORDER BY s.position LIMIT 1`,
);
const SMALLEST = statement(
  'tracker_smallest_project_order',
  `SELECT (SELECT min(p.sort_order) FROM projects p WHERE p.organization_id = $1::uuid) AS "sortOrder",
     (SELECT min(p.priority_sort_order) FROM projects p WHERE p.organization_id = $1::uuid) AS "prioritySortOrder"`,
);
const SET_TEAMS = statement(
  'tracker_set_project_teams',
  `WITH gone AS (DELETE FROM project_teams WHERE project_id = $1::uuid AND team_id <> ALL($2::uuid[]))
   INSERT INTO project_teams (project_id, team_id) SELECT $1::uuid, unnest($2::uuid[]) ON CONFLICT DO NOTHING`,
);
const SET_MEMBERS = statement(
  'tracker_set_project_members',
  `WITH gone AS (DELETE FROM project_members WHERE project_id = $1::uuid AND user_id <> ALL($2::uuid[]))
   INSERT INTO project_members (project_id, user_id) SELECT $1::uuid, unnest($2::uuid[]) ON CONFLICT DO NOTHING`,
);
const DROP_FROM_ISSUES = statement(
  'tracker_drop_project',
  `UPDATE issues SET project_id = NULL, added_to_project_at = NULL, updated_at = $3::timestamptz
   WHERE project_id = $1::uuid AND team_id <> ALL($2::uuid[])`,
);
const HOLD = statement('tracker_project_hold', `SELECT 1 FROM projects p WHERE p.id = $1::uuid FOR UPDATE`);
const STATUS = statement(
  'tracker_status_of_project',
  `SELECT ${columnsOf(ProjectStatus, 's')} FROM project_statuses s WHERE s.id = $1::uuid`,
);
const LEAD = statement(
  'tracker_lead_of_project',
  `SELECT ${columnsOf(User, 'u')} FROM tracker_users u WHERE u.id = $1::uuid`,
);
const TEAMS = statement(
  'tracker_teams_of_project',
  `SELECT t.id, t.private FROM teams t WHERE t.id = ANY($1::uuid[]) ORDER BY t.id`,
);

/** Whether a project of any organization has this id. */
export async function isProjectIdTaken(tx: Tx, id: string): Promise<boolean> {
  return (await tx.query(PROJECT_ID, [id])).length > 0;
}

/** Where new projects begin. */
export async function backlogStatus(tx: Tx, organizationId: string): Promise<ProjectStatus> {
  const [status] = await tx.query<ProjectStatus>(BACKLOG, [organizationId]);
  return status as ProjectStatus;
}

/** In front of all others; the first project stands at 0. */
export async function nextOrders(
  tx: Tx,
  organizationId: string,
): Promise<{ sortOrder: number; prioritySortOrder: number }> {
  type Smallest = Record<'sortOrder' | 'prioritySortOrder', number | null>;
  const [smallest] = (await tx.query<Smallest>(SMALLEST, [organizationId])) as [Smallest];
  const before = (order: number | null): number => (order === null ? 0 : order - 100);
  return { sortOrder: before(smallest.sortOrder), prioritySortOrder: before(smallest.prioritySortOrder) };
}

export async function setTeams(tx: Tx, projectId: string, teamIds: readonly string[]): Promise<void> {
  await tx.query(SET_TEAMS, [projectId, teamIds]);
}

export async function setMembers(tx: Tx, projectId: string, userIds: readonly string[]): Promise<void> {
  await tx.query(SET_MEMBERS, [projectId, userIds]);
}

/** Takes the issues of all other teams out of the project. */
export async function dropFromIssuesOfOthers(
  tx: Tx,
  projectId: string,
  teamIds: readonly string[],
  at: Date,
): Promise<void> {
  await tx.query(DROP_FROM_ISSUES, [projectId, teamIds, at]);
}

/** Against all who change the project and all who put an issue into it; read the project's teams after this. */
export async function holdProject(tx: Tx, projectId: string): Promise<void> {
  await tx.query(HOLD, [projectId]);
}

export async function statusOf(tx: Tx, statusId: string): Promise<ProjectStatus> {
  const [status] = await tx.query<ProjectStatus>(STATUS, [statusId]);
  return status as ProjectStatus;
}

export async function leadOf(tx: Tx, leadId: string | null): Promise<User | null> {
  return leadId === null ? null : ((await tx.query<User>(LEAD, [leadId]))[0] ?? null);
}

/** Whoever asks. */
export function teamsOf(tx: Tx, teamIds: readonly string[]): Promise<Pick<Team, 'id' | 'private'>[]> {
  return tx.query(TEAMS, [teamIds]);
}
