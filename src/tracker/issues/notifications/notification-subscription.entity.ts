import { Check, Entity, ForeignKey, Index } from 'typeorm';
import { snakeCase } from '../../../kernel/database/store-names.js';
import { accessWith, seenWithOne } from '../../entity/owned-access.queries.js';
import type { EntityKey } from '../../store/entity-rows.js';
import { defineEntity } from '../../store/define-entity.js';
import { nullable, OwnedRow, Stored } from '../../store/row.js';

/** What can be subscribed to, by the properties that name it. */
export const TARGETS = {
  teamId: 'Team',
  projectId: 'Project',
  cycleId: 'Cycle',
  labelId: 'IssueLabel',
  initiativeId: 'Initiative',
  customerId: 'Customer',
  customViewId: 'CustomView',
  userId: 'User',
} as const satisfies Record<string, EntityKey>;

export type Target = keyof typeof TARGETS;

/** A person has one of a target. */
const once = (target: Target): ClassDecorator => {
  const column = snakeCase(target);
  return Index(`tracker_notification_subscriptions_of_${column.replace(/_id$/, '')}`, [target, 'subscriberId'], {
    unique: true,
    where: `${column} IS NOT NULL`,
  });
};

/** What a person wants to be told of (docs/reference/tracker-notifications.md#subscriptions). */
@Entity('tracker_notification_subscriptions')
@Check(
  'tracker_notification_subscriptions_check',
  `num_nonnulls(${Object.keys(TARGETS).map(snakeCase).join(', ')}) = 1`,
)
@Index('tracker_notification_subscriptions_page', ['organizationId', 'subscriberId', 'createdAt', 'id'])
@once('teamId')
@once('projectId')
@once('cycleId')
@once('labelId')
@once('initiativeId')
@once('customerId')
@once('customViewId')
@once('userId')
export class NotificationSubscription extends OwnedRow {
  @ForeignKey('tracker_users', { onDelete: 'CASCADE' })
  @Stored('uuid')
  subscriberId: string;
  /** Exactly one of the targets is set. */
  @ForeignKey('teams', { onDelete: 'CASCADE' })
  @Stored('uuid', nullable)
  teamId: string | null;
  @ForeignKey('projects', { onDelete: 'CASCADE' })
  @Stored('uuid', nullable)
  projectId: string | null;
  @ForeignKey('cycles', { onDelete: 'CASCADE' })
  @Stored('uuid', nullable)
  cycleId: string | null;
  @ForeignKey('issue_labels', { onDelete: 'CASCADE' })
  @Stored('uuid', nullable)
  labelId: string | null;
  @ForeignKey('initiatives', { onDelete: 'CASCADE' })
  @Stored('uuid', nullable)
  initiativeId: string | null;
  @ForeignKey('customers', { onDelete: 'CASCADE' })
  @Stored('uuid', nullable)
  customerId: string | null;
  @ForeignKey('custom_views', { onDelete: 'CASCADE' })
  @Stored('uuid', nullable)
  customViewId: string | null;
  @ForeignKey('tracker_users', { onDelete: 'CASCADE' })
  @Stored('uuid', nullable)
  userId: string | null;
  @Stored('text', { array: true, default: [] }) notificationSubscriptionTypes: string[];
  @Stored('boolean', { default: false }) includeSubInitiativeUpdates: boolean;
  @Stored('boolean', { default: true }) active: boolean;
}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    NotificationSubscription: NotificationSubscription;
  }
}

defineEntity('NotificationSubscription', {
  row: NotificationSubscription,
  alias: 'ns',
  ownedBy: 'subscriberId',
  access: seenWithOne(...Object.entries(TARGETS).map(([property, entity]) => accessWith(entity, property as Target))),
});
