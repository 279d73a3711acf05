import { Check, Entity, ForeignKey, Index } from 'typeorm';
import { id, one, text, times } from '../../query/filter/keys.js';
import { connectionsOf, of } from '../../query/connections.js';
import { defineEntity } from '../../store/define-entity.js';
import type { BotActor } from '../../access/bot-actor.js';
import { nullable, OwnedRow, Stored } from '../../store/row.js';
import { isShown } from '../../access/hidden-teams.js';

@Entity('comments')
@Check('comments_check', 'num_nonnulls(issue_id, project_id) = 1')
@Index('comments_page', ['organizationId', 'createdAt', 'id'])
@Index('comments_updated_page', ['organizationId', 'updatedAt', 'id'])
@Index('comments_of_issue', ['issueId', 'createdAt', 'id'], { where: 'issue_id IS NOT NULL' })
@Index('comments_of_project', ['projectId', 'createdAt', 'id'], { where: 'project_id IS NOT NULL' })
@Index('comments_of_parent', ['parentId', 'createdAt', 'id'], { where: 'parent_id IS NOT NULL' })
@Index('comments_of_resolving', ['resolvingCommentId'], { where: 'resolving_comment_id IS NOT NULL' })
@Index('comments_search', { synchronize: false })
export class Comment extends OwnedRow {
  /** Exactly one of `issueId` and `projectId` is set. */
  @ForeignKey('issues', { onDelete: 'CASCADE' })
  @Stored('uuid', nullable)
  issueId: string | null;
  @ForeignKey('projects', { onDelete: 'CASCADE' })
  @Stored('uuid', nullable)
  projectId: string | null;
  @ForeignKey('comments', { onDelete: 'CASCADE' })
  @Stored('uuid', nullable)
  parentId: string | null;
  @Stored('uuid') userId: string;
  @Stored('text') body: string;
  @Stored('text', nullable) quotedText: string | null;
  @Stored('timestamptz', nullable) editedAt: Date | null;
  @Stored('timestamptz', nullable) resolvedAt: Date | null;
  @Stored('uuid', nullable) resolvingUserId: string | null;
  @ForeignKey('comments', { onDelete: 'SET NULL' })
  @Stored('uuid', nullable)
  resolvingCommentId: string | null;
  /** The application that made it as itself. */
  @Stored('jsonb', nullable) botActor: BotActor | null;
}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    Comment: Comment;
  }
}

defineEntity('Comment', {
  row: Comment,
  alias: 'c',
  changes: { name: 'comment' },
  // visible with its issue, or with its project
  access: {
    condition: (a, hidden) => `CASE WHEN ${a}.issue_id IS NULL
      THEN EXISTS (SELECT 1 FROM project_teams x WHERE x.project_id = ${a}.project_id AND ${isShown('x.team_id', hidden)})
      ELSE EXISTS (SELECT 1 FROM issues x WHERE x.id = ${a}.issue_id AND ${isShown('x.team_id', hidden)}) END`,
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

/** Connections of a Comment. */
export const commentConnections = connectionsOf('Comment', {
  children: of('Comment', 'parent_id'),
  createdIssues: of('Issue', 'source_comment_id'),
});
