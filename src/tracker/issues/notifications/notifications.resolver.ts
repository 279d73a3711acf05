import { Args, ArgsType, Int, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Viewer } from '../../access/viewer.js';
import { OptionalField } from '../../graphql/fields.js';
import { WithRelations } from '../../graphql/relations.js';
import { DateTime } from '../../graphql/scalars.js';
import { LoadersOf, ViewerOf } from '../../graphql/viewer-of.js';
import { IssuePayload } from '../issues.types.js';
import type { PageArgs as ListArgs } from '../../query/page.js';
import type { Loaders } from '../../query/loaders.js';
import {
  InboxNotificationUpdateInput,
  NotificationEntityInput,
  NotificationsArgs,
  NotificationUpdateInput,
} from './notifications.inputs.js';
import { notificationRelations } from './notifications.relations.js';
import { type Deeds, NotificationsService } from './notifications.service.js';
import {
  InboxNotificationUpdatePayload,
  NotificationArchivePayload,
  NotificationBatchActionPayload,
  NotificationConnection,
  NotificationType,
  NotificationPayload,
} from './notifications.types.js';
import { RemindersService } from './reminders.service.js';

/** As many of what a mutation has changed are answered, as of all plain lists. */
const ANSWERED = 250;

@ArgsType()
class InboxArgs {
  @OptionalField(() => Int) first?: number | null;
  @OptionalField(() => String) after?: string | null;
  @OptionalField(() => Boolean) unreadOnly?: boolean | null;
}

/** docs/reference/tracker-notifications.md#notifications. */
@Resolver(() => NotificationType)
@WithRelations(...notificationRelations)
export class NotificationsResolver {
  constructor(
    private readonly notifications: NotificationsService,
    private readonly reminders: RemindersService,
  ) {}

  @Query(() => NotificationType)
  notification(@LoadersOf() load: Loaders, @Args('id') id: string) {
    return this.notifications.one(load, id);
  }

  @Query(() => NotificationConnection, { name: 'notifications' })
  list(@LoadersOf() load: Loaders, @Args() args: NotificationsArgs) {
    return this.notifications.list(load, args as ListArgs);
  }

  @Query(() => NotificationConnection)
  inboxNotifications(@LoadersOf() load: Loaders, @Args() args: InboxArgs) {
    return this.notifications.inbox(load, args);
  }

  @Query(() => Int)
  notificationsUnreadCount(@LoadersOf() load: Loaders): Promise<number> {
    return this.notifications.unread(load);
  }

  /** The ids of updates are accepted and without effect. */
  @Mutation(() => NotificationPayload)
  async notificationUpdate(
    @ViewerOf() viewer: Viewer,
    @Args('id') id: string,
    @Args('input') { readAt, snoozedUntilAt }: NotificationUpdateInput,
  ) {
    const deeds = { ...(readAt !== undefined && { read: readAt }), ...snoozing(snoozedUntilAt) };
    const { row: notification, success, lastSyncId } = await this.notifications.update(viewer, id, deeds);
    return { notification, success, lastSyncId };
  }

  @Mutation(() => InboxNotificationUpdatePayload)
  async inboxNotificationUpdate(
    @ViewerOf() viewer: Viewer,
    @Args('id') id: string,
    @Args('input') { read, snoozedUntilAt }: InboxNotificationUpdateInput,
  ) {
    const deeds = { ...(read !== undefined && { read: read ? ('now' as const) : null }), ...snoozing(snoozedUntilAt) };
    const { row, changed, success, lastSyncId } = await this.notifications.updateGroup(viewer, id, deeds);
    return { notification: row, updatedNotifications: changed.slice(0, ANSWERED), success, lastSyncId };
  }

  @Mutation(() => NotificationArchivePayload)
  notificationArchive(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.archive(viewer, id, true);
  }

  @Mutation(() => NotificationArchivePayload)
  notificationUnarchive(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.archive(viewer, id, false);
  }

  @Mutation(() => NotificationBatchActionPayload)
  notificationMarkReadAll(
    @ViewerOf() viewer: Viewer,
    @Args('input') input: NotificationEntityInput,
    @Args('readAt', { type: () => DateTime }) readAt: Date,
  ) {
    return this.updateAll(viewer, input, { read: readAt });
  }

  @Mutation(() => NotificationBatchActionPayload)
  notificationMarkUnreadAll(@ViewerOf() viewer: Viewer, @Args('input') input: NotificationEntityInput) {
    return this.updateAll(viewer, input, { read: null });
  }

  @Mutation(() => NotificationBatchActionPayload)
  notificationSnoozeAll(
    @ViewerOf() viewer: Viewer,
    @Args('input') input: NotificationEntityInput,
    @Args('snoozedUntilAt', { type: () => DateTime }) snoozedUntilAt: Date,
  ) {
    return this.updateAll(viewer, input, { snooze: snoozedUntilAt });
  }

  @Mutation(() => NotificationBatchActionPayload)
  notificationUnsnoozeAll(
    @ViewerOf() viewer: Viewer,
    @Args('input') input: NotificationEntityInput,
    @Args('unsnoozedAt', { type: () => DateTime }) unsnoozedAt: Date,
  ) {
    return this.updateAll(viewer, input, { unsnooze: unsnoozedAt });
  }

  @Mutation(() => NotificationBatchActionPayload)
  notificationArchiveAll(@ViewerOf() viewer: Viewer, @Args('input') input: NotificationEntityInput) {
    return this.updateAll(viewer, input, { archive: 'now' });
  }

  @Mutation(() => IssuePayload)
  issueReminder(
    @ViewerOf() viewer: Viewer,
    @Args('id') id: string,
    @Args('reminderAt', { type: () => DateTime }) reminderAt: Date,
  ) {
    return this.reminders.remind(viewer, id, reminderAt);
  }

  private async updateAll(viewer: Viewer, input: NotificationEntityInput, deeds: Deeds) {
    const { changed, success, lastSyncId } = await this.notifications.updateAll(viewer, input, deeds);
    return { notifications: changed.slice(0, ANSWERED), success, lastSyncId };
  }

  private async archive(viewer: Viewer, id: string, isArchived: boolean) {
    const deeds: Deeds = { archive: isArchived ? 'now' : null };
    const { row, success, lastSyncId } = await this.notifications.update(viewer, id, deeds);
    return { entity: row, success, lastSyncId };
  }
}

/** Null takes a snooze away. */
const snoozing = (until: Date | null | undefined): Deeds => {
  if (until === undefined) return {};
  return until === null ? { unsnooze: 'now' } : { snooze: until };
};
