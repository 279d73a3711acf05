import { Entity } from 'typeorm';
import { id, one, text, times } from '../../query/filter/keys.js';
import { connectionsOf, of } from '../../query/connections.js';
import { defineEntity } from '../../store/define-entity.js';
import { nullable, OwnedRow, Stored } from '../../store/row.js';

@Entity('comments')
export class Comment extends OwnedRow {
  /** Exactly one of `issueId` and `projectId` is set. */
  @Stored('uuid', nullable) issueId: string | null;
  @Stored('uuid', nullable) projectId: string | null;
  @Stored('uuid', nullable) parentId: string | null;
  @Stored('uuid') userId: string;
  @Stored('text') body: string;
  @Stored('text', nullable) quotedText: string | null;
  @Stored('timestamptz', nullable) editedAt: Date | null;
  @Stored('timestamptz', nullable) resolvedAt: Date | null;
  @Stored('uuid', nullable) resolvingUserId: string | null;
  @Stored('uuid', nullable) resolvingCommentId: string | null;
}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    Comment: Comment;
  }
}

defineEntity('Comment', {
  row: Comment,
  alias: 'c',
  // seen with its issue, or with its project
  access: {
    condition: (a, hidden) => `CASE WHEN ${a}.issue_id IS NULL
      THEN EXISTS (SELECT 1 FROM project_teams x WHERE x.project_id = ${a}.project_id AND x.team_id <> ALL(${hidden}))
      ELSE EXISTS (SELECT 1 FROM issues x WHERE x.id = ${a}.issue_id AND x.team_id <> ALL(${hidden})) END`,
    isHidden: async ({ issueId, projectId }, _isHiddenTeam, read) =>
      (await (issueId === null ? read.row('Project', projectId) : read.row('Issue', issueId))) === null,
  },
  filter: {
    id,
    ...times,
    body: text('body'),
    issue: one('Issue', 'issue_id'),
    parent: one('Comment', 'parent_id'),
    project: one('Project', 'project_id'),
    user: one('User', 'user_id'),
  },
});

/** The connections below a Comment. */
export const commentConnections = connectionsOf('Comment', {
  children: of('Comment', 'parent_id'),
  createdIssues: of('Issue', 'source_comment_id'),
});
