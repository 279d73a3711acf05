/*
 * Hand-written: a part of conditions, and of what is shown of a milestone. Tables of other rooms: issues. They say how
 * far a milestone is.
 */

const isDone = (
  a: string,
): string => `(EXISTS (SELECT 1 FROM issues i WHERE i.project_milestone_id = ${a}.id AND i.archived_at IS NULL)
  AND NOT EXISTS (SELECT 1 FROM issues i JOIN workflow_states w ON w.id = i.state_id WHERE i.project_milestone_id = ${a}.id
    AND i.archived_at IS NULL AND w.type NOT IN ('completed', 'canceled', 'duplicate')))`;
const isAhead = (a: string, now: string): string =>
  `(NOT ${isDone(a)} AND (${a}.target_date IS NULL OR ${a}.target_date >= timezone('UTC', ${now})::date))`;
const place = (a: string): string => `(coalesce(${a}.target_date, 'infinity'::date), ${a}.sort_order, ${a}.id)`;

/** As SQL: the status of a milestone (docs/reference/tracker.md#projectmilestone). @param now a moment */
export const milestoneStatus = (a: string, now: string): string => `CASE
  WHEN ${isDone(a)} THEN 'done'
  WHEN ${a}.target_date < timezone('UTC', ${now})::date THEN 'overdue'
  WHEN NOT EXISTS (SELECT 1 FROM project_milestones o WHERE o.project_id = ${a}.project_id AND o.id <> ${a}.id
    AND ${isAhead('o', now)} AND ${place('o')} < ${place(a)}) THEN 'next'
  ELSE 'unstarted' END`;
