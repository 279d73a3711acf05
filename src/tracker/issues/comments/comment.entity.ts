import { Check, Entity, ForeignKey, Index } from 'typeorm';
import { id, one, text, times } from '../../store/filter-keys.js';
import { CONTENT_KEYS } from '../../documents/document.entity.js';
import { connectionsOf, of } from '../../store/connections.js';
import { defineEntity } from '../../store/define-entity.js';
import type { BotActor } from '../../access/bot-actor.js';
import { nullable, OwnedRow, Stored } from '../../store/row.js';
import { accessWith, seenWithOne } from '../../entity/owned-access.queries.js';
import { definePlace, placeOf } from '../../entity/places.js';
import type { EntityKey } from '../../store/entity-rows.js';
import { commentUrl } from '../../values/urls.js';

@Entity('comments')
@Check(
  'comments_check',
  'num_nonnulls(issue_id, project_id, document_content_id, project_update_id, initiative_id, initiative_update_id) = 1',
)
@Index('comments_page', ['organizationId', 'createdAt', 'id'])
@Index('comments_updated_page', ['organizationId', 'updatedAt', 'id'])
@Index('comments_of_issue', ['issueId', 'createdAt', 'id'], { where: 'issue_id IS NOT NULL' })
@Index('comments_of_project', ['projectId', 'createdAt', 'id'], { where: 'project_id IS NOT NULL' })
@Index('comments_of_document', ['documentContentId', 'createdAt', 'id'], { where: 'document_content_id IS NOT NULL' })
@Index('comments_of_initiative', ['initiativeId', 'createdAt', 'id'], { where: 'initiative_id IS NOT NULL' })
@Index('comments_of_initiative_update', ['initiativeUpdateId', 'createdAt', 'id'], {
  where: 'initiative_update_id IS NOT NULL',
})
@Index('comments_of_project_update', ['projectUpdateId', 'createdAt', 'id'], { where: 'project_update_id IS NOT NULL' })
@Index('comments_of_parent', ['parentId', 'createdAt', 'id'], { where: 'parent_id IS NOT NULL' })
@Index('comments_of_resolving', ['resolvingCommentId'], { where: 'resolving_comment_id IS NOT NULL' })
@Index('comments_search', { synchronize: false })
export class Comment extends OwnedRow {
  /** Exactly one of the things that it may be on is set. */
  @ForeignKey('issues', { onDelete: 'CASCADE' })
  @Stored('uuid', nullable)
  issueId: string | null;
  @ForeignKey('projects', { onDelete: 'CASCADE' })
  @Stored('uuid', nullable)
  projectId: string | null;
  /** The id of a document, which its content has as well. */
  @ForeignKey('documents', { onDelete: 'CASCADE' })
  @Stored('uuid', nullable)
  documentContentId: string | null;
  @ForeignKey('project_updates', { onDelete: 'CASCADE' })
  @Stored('uuid', nullable)
  projectUpdateId: string | null;
  @ForeignKey('initiatives', { onDelete: 'CASCADE' })
  @Stored('uuid', nullable)
  initiativeId: string | null;
  @ForeignKey('initiative_updates', { onDelete: 'CASCADE' })
  @Stored('uuid', nullable)
  initiativeUpdateId: string | null;
  @ForeignKey('comments', { onDelete: 'CASCADE' })
  @Stored('uuid', nullable)
  parentId: string | null;
  /** Null: the first one of the thread of an agent's session, by `botActor`. */
  @Stored('uuid', nullable) userId: string | null;
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
  access: seenWithOne(
    accessWith('Issue', 'issueId'),
    accessWith('Project', 'projectId'),
    accessWith('Document', 'documentContentId'),
    accessWith('ProjectUpdate', 'projectUpdateId'),
    accessWith('Initiative', 'initiativeId'),
    accessWith('InitiativeUpdate', 'initiativeUpdateId'),
  ),
  filter: {
    id,
    ...times,
    body: text('body'),
    documentContent: { ...one('Document', 'document_content_id'), keys: CONTENT_KEYS },
    issue: one('Issue', 'issue_id'),
    parent: one('Comment', 'parent_id'),
    project: one('Project', 'project_id'),
    projectUpdate: one('ProjectUpdate', 'project_update_id'),
    initiativeUpdate: one('InitiativeUpdate', 'initiative_update_id'),
    user: one('User', 'user_id'),
  },
});

/** Connections of a Comment. */
export const commentConnections = connectionsOf('Comment', {
  children: of('Comment', 'parent_id'),
  createdIssues: of('Issue', 'source_comment_id'),
});

definePlace('Comment', async (tx, id, at) => {
  const comment = await tx.sql.findOneByOrFail(Comment, { id });
  const { body, issueId, projectId, documentContentId, projectUpdateId, initiativeId, initiativeUpdateId, userId } =
    comment;
  const above: [EntityKey, string | null][] = [
    ['Issue', issueId],
    ['Project', projectId],
    ['Document', documentContentId],
    ['ProjectUpdate', projectUpdateId],
    ['Initiative', initiativeId],
    ['InitiativeUpdate', initiativeUpdateId],
  ];
  const [entity, owner] = above.find(([, one]) => one !== null) as [EntityKey, string];
  const { teams, url } = await placeOf(tx, { entity, id: owner }, at);
  const owners = { issueId, projectId, documentContentId, projectUpdateId, initiativeId, initiativeUpdateId };
  return { teams, url: commentUrl(url, id), shown: { comment: { id, body, ...owners, userId } } };
});
