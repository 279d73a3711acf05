export * from './notification.entity.js';
export * from './notification-subscription.entity.js';
export * from './issue-reminder.entity.js';
export { NotificationsResolver } from './notifications.resolver.js';
export { NotificationsService } from './notifications.service.js';
export { NotificationSubscriptionsResolver } from './subscriptions.resolver.js';
export { RemindersService } from './reminders.service.js';
export { NotificationClock } from './notification-clock.js';
export { SubscriptionsService } from './subscriptions.service.js';
