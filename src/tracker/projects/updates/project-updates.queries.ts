import { columnsOf } from '../../../kernel/database/columns.js';
import { statement } from '../../../kernel/database/statement.js';
import { keyedLoader } from '../../store/keyed-loader.js';
import { ProjectUpdate } from './project-update.entity.js';

/*
 * Hand-written: those of many projects, and what is counted of many updates, at once. Tables of other rooms: comments.
 * They are counted.
 */

/** The newest update of a project that is not archived, by project id. */
export const lastUpdateOfProject = keyedLoader<ProjectUpdate & { key: string }, ProjectUpdate | null>({
  statement: statement(
    'tracker_last_project_updates',
    `SELECT DISTINCT ON (pu.project_id) pu.project_id AS key, ${columnsOf(ProjectUpdate, 'pu')} FROM project_updates pu
     WHERE pu.project_id = ANY($1::uuid[]) AND pu.organization_id = $2::uuid AND pu.archived_at IS NULL
     ORDER BY pu.project_id, pu.created_at DESC, pu.id DESC`,
  ),
  values: (ids, viewer) => [ids, viewer.organizationId],
  answer: ([update]) => update ?? null,
});

export const commentCountOfUpdate = keyedLoader<{ count: number }, number>({
  statement: statement(
    'tracker_comments_of_project_updates',
    `SELECT c.project_update_id AS key, count(*)::int AS count FROM comments c
     WHERE c.project_update_id = ANY($1::uuid[]) AND c.organization_id = $2::uuid GROUP BY 1`,
  ),
  values: (ids, viewer) => [ids, viewer.organizationId],
  answer: ([row]) => row?.count ?? 0,
});
