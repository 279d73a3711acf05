import { statement } from '../../kernel/database/statement.js';
import type { NewsIssue } from './issue-of-news.js';

/* Hand-written: sets of issues by their relations. */

/**
 * The open issues of somebody's that these ($1) block. They are locked, so that of two that end at once the later one
 * sees the end of the other.
 */
export const HOLD_BLOCKED = statement(
  'tracker_hold_blocked',
  `SELECT i.id FROM issues i WHERE i.id IN (SELECT r.related_issue_id FROM issue_relations r
     WHERE r.issue_id = ANY($1::uuid[]) AND r.type = 'blocks')
     AND i.assignee_id IS NOT NULL AND i.completed_at IS NULL AND i.canceled_at IS NULL
   ORDER BY i.id FOR NO KEY UPDATE OF i`,
);

export interface UnblockedIssue extends NewsIssue {
  readonly assigneeId: string;
  readonly teamKey: string;
  readonly teamName: string;
  readonly [column: string]: unknown;
}

/** Those of some issues ($1) that no open issue blocks. */
export const UNBLOCKED = statement(
  'tracker_unblocked',
  `SELECT i.id, i.identifier, i.title, i.description, i.team_id AS "teamId", i.assignee_id AS "assigneeId",
     t.key AS "teamKey", t.name AS "teamName"
   FROM issues i JOIN teams t ON t.id = i.team_id
   WHERE i.id = ANY($1::uuid[]) AND NOT EXISTS (
     SELECT FROM issue_relations r JOIN issues b ON b.id = r.issue_id
     WHERE r.related_issue_id = i.id AND r.type = 'blocks'
       AND b.completed_at IS NULL AND b.canceled_at IS NULL AND b.trashed IS NOT TRUE)
   ORDER BY i.id`,
);
