import type { Tx } from '../../../kernel/database/db.js';
import { statement } from '../../../kernel/database/statement.js';
import { progressBy } from '../../query/progress.js';
import { keyedLoader } from '../../store/keyed-loader.js';
import { milestoneStatus } from './milestone-status.queries.js';

/*
 * Hand-written: what is derived from the issues of a milestone and from the other milestones of its project. Tables of
 * other rooms: issues. They leave a milestone that ends.
 */

export const progressOfMilestone = progressBy('tracker_progress_of_milestones', 'project_milestone_id');

export const statusOfMilestone = keyedLoader<{ status: string }, string>({
  statement: statement(
    'tracker_status_of_milestones',
    `SELECT pm.id AS key, ${milestoneStatus('pm', '$3::timestamptz')} AS status FROM project_milestones pm
     WHERE pm.id = ANY($1::uuid[]) AND pm.organization_id = $2::uuid`,
  ),
  values: (ids, viewer, now) => [ids, viewer.organizationId, now],
  answer: ([row]) => row?.status ?? 'unstarted',
});

const LEAVE = statement(
  'tracker_leave_milestone',
  `UPDATE issues SET project_milestone_id = NULL, updated_at = $2::timestamptz WHERE project_milestone_id = $1::uuid`,
);
const LAST = statement(
  'tracker_last_milestone',
  'SELECT max(sort_order) AS last FROM project_milestones WHERE project_id = $1::uuid',
);

/** Takes all issues out of a milestone that is deleted, or moves to another project. */
export async function leaveMilestone(tx: Tx, milestoneId: string, at: Date): Promise<void> {
  await tx.query(LEAVE, [milestoneId, at]);
}

/** The largest `sortOrder` of a project's milestones; 0 without any. */
export async function lastMilestone(tx: Tx, projectId: string): Promise<number> {
  return (await tx.query<{ last: number | null }>(LAST, [projectId]))[0]?.last ?? 0;
}
