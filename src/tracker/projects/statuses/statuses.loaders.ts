import { columnsOf } from '../../../kernel/database/columns.js';
import { statement } from '../../../kernel/database/statement.js';
import { keyedLoader } from '../../store/keyed-loader.js';
import { ProjectStatus } from './project-status.entity.js';

/** Those that are not archived, in order, by organization id; the caller's only. */
export const statusesOfOrganization = keyedLoader<ProjectStatus, ProjectStatus[]>({
  statement: statement(
    'tracker_project_statuses',
    `SELECT ps.organization_id AS key, ${columnsOf(ProjectStatus, 'ps')} FROM project_statuses ps
     WHERE ps.organization_id = ANY($1::uuid[]) AND ps.archived_at IS NULL ORDER BY ps.position`,
  ),
  values: (_ids, viewer) => [[viewer.organizationId]],
  answer: (statuses) => statuses,
});
