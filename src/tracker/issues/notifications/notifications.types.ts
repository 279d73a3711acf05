import { Field, ID, InterfaceType, ObjectType, registerEnumType } from '@nestjs/graphql';
import { ConnectionOf } from '../../graphql/connections.js';
import { OptionalField } from '../../graphql/fields.js';
import { ArchivePayloadOf, MutationPayload } from '../../graphql/payloads.js';
import { ActorBot } from '../../graphql/references.types.js';
import { typeNamed } from '../../graphql/relations.js';
import { DateTime } from '../../graphql/scalars.js';
import type { Notification } from './notification.entity.js';
import { NotificationSubscriptionType } from './subscriptions.types.js';

export enum NotificationCategory {
  appsAndIntegrations = 'appsAndIntegrations',
  assignments = 'assignments',
  billing = 'billing',
  commentsAndReplies = 'commentsAndReplies',
  customers = 'customers',
  documentChanges = 'documentChanges',
  feed = 'feed',
  loops = 'loops',
  mentions = 'mentions',
  postsAndUpdates = 'postsAndUpdates',
  reactions = 'reactions',
  reminders = 'reminders',
  reviews = 'reviews',
  statusChanges = 'statusChanges',
  subscriptions = 'subscriptions',
  system = 'system',
  triage = 'triage',
}
registerEnumType(NotificationCategory, { name: 'NotificationCategory' });

/** The type on the wire of a notification: that of its thing. */
const wireTypeOf = ({ issueId, projectId, documentId }: Notification): string => {
  if (issueId !== null) return 'IssueNotification';
  if (projectId !== null) return 'ProjectNotification';
  return documentId !== null ? 'DocumentNotification' : 'InitiativeNotification';
};

/** What all notifications have (docs/reference/tracker-notifications.md#notifications). */
@InterfaceType('Notification', { resolveType: wireTypeOf })
export abstract class NotificationType {
  @Field(() => ID) id!: string;
  @Field(() => DateTime) createdAt!: Date;
  @Field(() => DateTime) updatedAt!: Date;
  @OptionalField(() => DateTime) archivedAt?: Date | null;
  @Field() type!: string;
  @Field(() => NotificationCategory) category!: NotificationCategory;
  @Field(() => typeNamed('User')) user!: object;
  @OptionalField(() => typeNamed('User')) actor?: object | null;
  @OptionalField(() => ActorBot) botActor?: ActorBot | null;
  @OptionalField(() => DateTime) readAt?: Date | null;
  @OptionalField(() => DateTime) snoozedUntilAt?: Date | null;
  @OptionalField(() => DateTime) unsnoozedAt?: Date | null;
  @Field() title!: string;
  @Field() subtitle!: string;
  @Field() url!: string;
  @Field() inboxUrl!: string;
  @Field() groupingKey!: string;
  @OptionalField(() => DateTime) emailedAt: Date | null = null;
  @OptionalField(() => typeNamed('ExternalUser')) externalUserActor: object | null = null;
}

const implementing = { implements: () => [NotificationType] };

/** What notifications of things with comments have. */
@ObjectType({ isAbstract: true })
abstract class CommentedNotification extends NotificationType {
  @OptionalField(() => String) commentId?: string | null;
  @OptionalField(() => String) parentCommentId?: string | null;
  @OptionalField(() => String) reactionEmoji?: string | null;
}

@ObjectType('IssueNotification', implementing)
export class IssueNotificationType extends CommentedNotification {
  @OptionalField(() => typeNamed('Comment')) comment?: object | null;
  @OptionalField(() => typeNamed('Comment')) parentComment?: object | null;
  @Field() issueId!: string;
  @Field(() => typeNamed('Issue')) issue!: object;
  @Field(() => typeNamed('Team')) team!: object;
  @OptionalField(() => [NotificationSubscriptionType]) subscriptions?: NotificationSubscriptionType[] | null;
}

@ObjectType('ProjectNotification', implementing)
export class ProjectNotificationType extends CommentedNotification {
  @OptionalField(() => typeNamed('Comment')) comment?: object | null;
  @OptionalField(() => typeNamed('Comment')) parentComment?: object | null;
  @Field() projectId!: string;
  @Field(() => typeNamed('Project')) project!: object;
  @OptionalField(() => String) projectUpdateId?: string | null;
  @OptionalField(() => typeNamed('ProjectUpdate')) projectUpdate?: object | null;
  @OptionalField(() => typeNamed('Document')) document: object | null = null;
  @OptionalField(() => String) projectMilestoneId: string | null = null;
}

@ObjectType('DocumentNotification', implementing)
export class DocumentNotificationType extends CommentedNotification {
  @Field() documentId!: string;
}

@ObjectType('InitiativeNotification', implementing)
export class InitiativeNotificationType extends CommentedNotification {
  @OptionalField(() => typeNamed('Comment')) comment?: object | null;
  @OptionalField(() => typeNamed('Comment')) parentComment?: object | null;
  @Field() initiativeId!: string;
  @OptionalField(() => typeNamed('Initiative')) initiative?: object | null;
  @OptionalField(() => String) initiativeUpdateId?: string | null;
  @OptionalField(() => typeNamed('InitiativeUpdate')) initiativeUpdate?: object | null;
  @OptionalField(() => typeNamed('Document')) document: object | null = null;
}

/** The class of an interface: its connection is made as that of any type. */
const Interface = NotificationType as unknown as new () => NotificationType;

@ObjectType()
export class NotificationConnection extends ConnectionOf(Interface) {}

@ObjectType()
export class NotificationPayload extends MutationPayload {
  @Field(() => NotificationType) notification!: NotificationType;
}

@ObjectType()
export class NotificationArchivePayload extends ArchivePayloadOf(Interface) {}

@ObjectType()
export class NotificationBatchActionPayload extends MutationPayload {
  @Field(() => [NotificationType]) notifications!: NotificationType[];
}

@ObjectType()
export class InboxNotificationUpdatePayload extends MutationPayload {
  @Field(() => NotificationType) notification!: NotificationType;
  @Field(() => [NotificationType]) updatedNotifications!: NotificationType[];
}
