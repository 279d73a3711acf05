/*
 * What people are told of, in the order in which one cause comes before another
 * (docs/reference/tracker-notifications.md#causes).
 */

interface Kind {
  /** A word of the wire's `NotificationCategory`. */
  readonly category: string;
  /** What its sentence says somebody did: `Ada assigned this to you.` */
  readonly did: string;
}

/** What comments can be on, as the words of their notifications. */
const COMMENTED = ['issue', 'project', 'document', 'projectUpdate', 'initiative', 'initiativeUpdate'] as const;
export type Commented = (typeof COMMENTED)[number];

/** The same kind for comments on everything: `issueNewComment`, `projectNewComment` … */
const ofAll = <E extends string>(ending: E, kind: Kind, things: readonly Commented[] = COMMENTED) =>
  Object.fromEntries(things.map((thing) => [`${thing}${ending}`, kind])) as Record<`${Commented}${E}`, Kind>;

export const NOTIFICATION_TYPES = {
  issueAssignedToYou: { category: 'assignments', did: 'assigned this to you' },
  issueUnassignedFromYou: { category: 'assignments', did: 'took this from you' },
  ...ofAll('CommentMention', { category: 'mentions', did: 'mentioned you in a comment' }),
  issueMention: { category: 'mentions', did: 'mentioned you' },
  projectUpdateMention: { category: 'mentions', did: 'mentioned you in an update' },
  initiativeUpdateMention: { category: 'mentions', did: 'mentioned you in an update' },
  ...ofAll('NewComment', { category: 'commentsAndReplies', did: 'commented' }),
  ...ofAll('ThreadResolved', { category: 'commentsAndReplies', did: 'resolved a thread' }),
  ...ofAll('CommentReaction', { category: 'reactions', did: 'reacted to your comment' }),
  issueEmojiReaction: { category: 'reactions', did: 'reacted to your issue' },
  projectUpdateReaction: { category: 'reactions', did: 'reacted to your update' },
  initiativeUpdateReaction: { category: 'reactions', did: 'reacted to your update' },
  issueStatusChanged: { category: 'statusChanges', did: 'changed the status' },
  issuePriorityUrgent: { category: 'assignments', did: 'made this urgent' },
  issueUnblocked: { category: 'statusChanges', did: 'completed what blocked this' },
  issueSubscribed: { category: 'subscriptions', did: 'subscribed you' },
  projectAddedAsLead: { category: 'postsAndUpdates', did: 'made you the lead' },
  projectAddedAsMember: { category: 'postsAndUpdates', did: 'added you as a member' },
  projectUpdateCreated: { category: 'postsAndUpdates', did: 'posted an update' },
  initiativeUpdateCreated: { category: 'postsAndUpdates', did: 'posted an update' },
  initiativeAddedAsOwner: { category: 'postsAndUpdates', did: 'made you the owner' },
  issueReminder: { category: 'reminders', did: 'asked to be reminded' },
  issueCreated: { category: 'subscriptions', did: 'created an issue' },
  issueStatusChangedAll: { category: 'subscriptions', did: 'changed the status' },
} as const satisfies Record<string, Kind>;

export type NotificationType = keyof typeof NOTIFICATION_TYPES;

const order = Object.keys(NOTIFICATION_TYPES);

/** The place of a cause: of several that concern a person the first is told. */
export const rankOf = (type: NotificationType): number => order.indexOf(type);
