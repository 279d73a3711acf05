import { snakeCase } from '../../../kernel/database/store-names.js';
import type { QueryScope } from '../../store/query-scope.js';
import type { ValueKey } from '../../store/filter-keys.js';
import { TARGETS } from './notification-subscription.entity.js';

/* Hand-written: parts of conditions on notifications. */

/** As SQL: which of these properties of a row is set, as a word. */
const wordOf = (a: string, properties: readonly string[]): string =>
  `CASE ${properties.map((name) => `WHEN ${a}.${snakeCase(name)} IS NOT NULL THEN '${name.replace(/Id$/, '')}'`).join(' ')} END`;

/** What the recipient is subscribed to: the target of the subscription that asked for it, else the thing. */
export const subscriptionType: ValueKey = {
  is: 'text',
  sql: (a) => `coalesce(
    (SELECT ${wordOf('s', Object.keys(TARGETS))} FROM tracker_notification_subscriptions s WHERE s.id = ${a}.subscription_ids[1]),
    ${wordOf(a, ['issueId', 'projectId', 'documentId', 'initiativeId'])})`,
};

/** Neither archived nor snoozed. */
const inInbox = (a: string, scope: QueryScope): string =>
  `${a}.archived_at IS NULL AND (${a}.snoozed_until_at IS NULL OR ${a}.snoozed_until_at <= ${scope.moment})`;

/** A snooze that is over has made it unread. */
const isUnread = (a: string): string => `(${a}.read_at IS NULL OR ${a}.snoozed_until_at IS NOT NULL)`;

/** In the inbox, and the newest there of what is about its thing. */
export const isNewestInInbox =
  (unreadOnly: boolean) =>
  (a: string, scope: QueryScope): string => {
    const shown = (alias: string): string => `${inInbox(alias, scope)}${unreadOnly ? ` AND ${isUnread(alias)}` : ''}`;
    return `${shown(a)} AND NOT EXISTS (SELECT 1 FROM tracker_notifications o
      WHERE o.user_id = ${a}.user_id AND o.thing_id = ${a}.thing_id AND ${shown('o')}
        AND (o.created_at, o.id) > (${a}.created_at, ${a}.id))`;
  };
