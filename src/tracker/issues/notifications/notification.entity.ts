import { Check, Entity, ForeignKey, Index } from 'typeorm';
import type { BotActor } from '../../access/bot-actor.js';
import { accessWith, seenWithOne } from '../../entity/owned-access.queries.js';
import { defineEventType } from '../../events/tracker-events.js';
import { id, moment, text, times } from '../../store/filter-keys.js';
import { defineEntity, listedLive } from '../../store/define-entity.js';
import { nullable, OwnedRow, Stored } from '../../store/row.js';
import { subscriptionType } from './notifications.conditions.queries.js';

/** What a person is told of a thing (docs/reference/tracker-notifications.md#notifications). */
@Entity('tracker_notifications')
@Check('tracker_notifications_check', 'num_nonnulls(issue_id, project_id, document_id, initiative_id) = 1')
@Index('tracker_notifications_page', ['organizationId', 'userId', 'createdAt', 'id'])
@Index('tracker_notifications_group', ['userId', 'thingId', 'createdAt', 'id'])
@Index('tracker_notifications_of_issue', ['issueId'], { where: 'issue_id IS NOT NULL' })
@Index('tracker_notifications_of_project', ['projectId'], { where: 'project_id IS NOT NULL' })
@Index('tracker_notifications_of_document', ['documentId'], { where: 'document_id IS NOT NULL' })
@Index('tracker_notifications_of_initiative', ['initiativeId'], { where: 'initiative_id IS NOT NULL' })
@Index('tracker_notifications_of_comment', ['commentId'], { where: 'comment_id IS NOT NULL' })
@Index('tracker_notifications_of_project_update', ['projectUpdateId'], { where: 'project_update_id IS NOT NULL' })
@Index('tracker_notifications_of_initiative_update', ['initiativeUpdateId'], {
  where: 'initiative_update_id IS NOT NULL',
})
@Index('tracker_notifications_snoozed', ['snoozedUntilAt'], { where: 'snoozed_until_at IS NOT NULL' })
export class Notification extends OwnedRow {
  /** Whom it tells, and who alone sees it. */
  @ForeignKey('tracker_users', { onDelete: 'CASCADE' })
  @Stored('uuid')
  userId: string;
  @Stored('uuid', nullable) actorId: string | null;
  @Stored('text') type: string;
  /** What it is about: the id of the issue, project, document or initiative. */
  @Stored('uuid') thingId: string;
  @ForeignKey('issues', { onDelete: 'CASCADE' })
  @Stored('uuid', nullable)
  issueId: string | null;
  @ForeignKey('projects', { onDelete: 'CASCADE' })
  @Stored('uuid', nullable)
  projectId: string | null;
  @ForeignKey('documents', { onDelete: 'CASCADE' })
  @Stored('uuid', nullable)
  documentId: string | null;
  @ForeignKey('initiatives', { onDelete: 'CASCADE' })
  @Stored('uuid', nullable)
  initiativeId: string | null;
  @ForeignKey('comments', { onDelete: 'CASCADE' })
  @Stored('uuid', nullable)
  commentId: string | null;
  @ForeignKey('project_updates', { onDelete: 'CASCADE' })
  @Stored('uuid', nullable)
  projectUpdateId: string | null;
  @ForeignKey('initiative_updates', { onDelete: 'CASCADE' })
  @Stored('uuid', nullable)
  initiativeUpdateId: string | null;
  @Stored('text', nullable) reactionEmoji: string | null;
  @Stored('jsonb', nullable) botActor: BotActor | null;
  /** The subscriptions that asked for it. */
  @Stored('uuid', { array: true, default: [] }) subscriptionIds: string[];
  @Stored('timestamptz', nullable) readAt: Date | null;
  /** Read by `asOf`: it is over when the clock has passed it. */
  @Stored('timestamptz', nullable) snoozedUntilAt: Date | null;
  @Stored('timestamptz', nullable) unsnoozedAt: Date | null;
  @Stored('timestamptz', nullable) archivedAt: Date | null;
}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    Notification: Notification;
  }
}

/** A notification as it is at a time: once the clock has passed its snooze, it is there again, unread. */
export function asOf<N extends Notification>(notification: N, now: Date): N {
  const { snoozedUntilAt } = notification;
  if (snoozedUntilAt === null || snoozedUntilAt > now) return notification;
  return { ...notification, snoozedUntilAt: null, unsnoozedAt: snoozedUntilAt, readAt: null };
}

defineEntity('Notification', {
  row: Notification,
  alias: 'nt',
  changes: { name: 'notification' },
  references: { actor_id: 'actor', document_id: 'document', initiative_id: 'initiative' },
  ownedBy: 'userId',
  access: seenWithOne(
    accessWith('Issue', 'issueId'),
    accessWith('Project', 'projectId'),
    accessWith('Document', 'documentId'),
    accessWith('Initiative', 'initiativeId'),
  ),
  listed: listedLive,
  filter: {
    id,
    ...times,
    archivedAt: moment('archived_at'),
    type: text('type'),
    subscriptionType,
  },
});

defineEventType('Notification', 'notification', false);
