import type { Conversation } from '../store/conversation.entity.js';

/** Read state is not modelled (docs/reference/chat.md#conversations). */
const NEVER_READ = '0000000000.000000';
const LOCALE = 'en-US';

const seconds = (micros: number): number => Math.floor(micros / 1e6);
const milliseconds = (micros: number): number => Math.floor(micros / 1e3);

/** What the objects below show of it. */
type ShownConversation = Omit<Conversation, 'lastTs' | 'pinCount'>;

/**
 * Where a conversation is shown: an item of a list, a full object, the answer of create, the event `channel_created`.
 */
export type ChannelFlavour = 'list' | 'info' | 'create' | 'event';

/** Optional parts (conversations.info). */
export interface ConversationExtras {
  readonly numMembers?: boolean;
  readonly locale?: boolean;
}

/**
 * A public or private channel or an mpim (docs/reference/chat.md#conversations). Members that are undefined do not
 * appear.
 */
export function toWireChannel(
  row: ShownConversation,
  options: { flavour: ChannelFlavour; isMember: boolean; isClosed?: boolean | undefined } & ConversationExtras,
): object {
  const { flavour, isMember } = options;
  const isMpim = row.type === 'mpim';
  const isWhole = flavour === 'info' || flavour === 'create';
  return {
    id: row.id,
    name: row.name,
    is_channel: !isMpim,
    is_group: isMpim,
    is_im: false,
    is_mpim: isMpim,
    is_private: row.type !== 'public',
    created: seconds(row.createdAt),
    is_archived: row.isArchived,
    is_general: row.isGeneral,
    unlinked: 0,
    name_normalized: row.name,
    is_shared: false,
    is_frozen: flavour === 'list' ? undefined : false,
    is_org_shared: false,
    is_pending_ext_shared: false,
    pending_shared: [],
    context_team_id: row.workspaceId,
    updated: milliseconds(row.updatedAt),
    parent_conversation: isWhole ? null : undefined,
    creator: row.creatorId,
    is_ext_shared: false,
    shared_team_ids: [row.workspaceId],
    pending_connected_team_ids: [],
    is_member: flavour === 'event' ? undefined : isMember,
    is_open: isMpim ? !options.isClosed : undefined,
    last_read: isWhole && isMember ? NEVER_READ : undefined,
    topic: { value: row.topic, creator: row.topicCreator, last_set: row.topicSetAt },
    purpose: { value: row.purpose, creator: row.purposeCreator, last_set: row.purposeSetAt },
    previous_names: row.previousNames,
    num_members: flavour === 'list' || options.numMembers ? row.memberCount : undefined,
    locale: options.locale ? LOCALE : undefined,
    ...(flavour === 'create' ? { latest: null, unread_count: 0, unread_count_display: 0, priority: 0 } : {}),
  };
}

/** The other party of an im as `viewerId` sees it: the user itself in a self-DM. */
export const otherParty = (im: Pick<Conversation, 'membersKey'>, viewerId: string): string =>
  (im.membersKey ?? '').split(',').find((id) => id !== viewerId && id !== '') ?? viewerId;

/** SQL for the same. @param viewer an expression for the viewer's id */
export const sqlOtherParty = (c: string, viewer: string): string =>
  `CASE split_part(${c}.members_key, ',', 1) WHEN ${viewer} THEN coalesce(nullif(split_part(${c}.members_key, ',', 2), ''), ${viewer})
   ELSE split_part(${c}.members_key, ',', 1) END`;

interface ImView {
  readonly viewerId: string;
  readonly isUserDeleted: boolean;
}

/** An im as an item of a list (docs/reference/chat.md#conversations). */
export function toWireIm(row: ShownConversation, view: ImView): object {
  return {
    id: row.id,
    created: seconds(row.createdAt),
    is_archived: row.isArchived,
    is_im: true,
    is_org_shared: false,
    context_team_id: row.workspaceId,
    updated: milliseconds(row.updatedAt),
    user: otherParty(row, view.viewerId),
    is_user_deleted: view.isUserDeleted,
    priority: 0,
  };
}

/** Whether the caller has an im open; it counts as never read. */
export const readStateOfIm = (isClosed: boolean | undefined): object => ({
  is_open: !isClosed,
  last_read: NEVER_READ,
});

/** An im as a whole. `latest` is whatever serialises as its newest message, or null. */
export function toWireImInfo(
  row: ShownConversation,
  view: ImView & { latest: unknown; isClosed?: boolean | undefined } & ConversationExtras,
): Record<string, unknown> {
  return {
    ...toWireIm(row, view),
    ...readStateOfIm(view.isClosed),
    latest: view.latest,
    unread_count: 0,
    unread_count_display: 0,
    num_members: view.numMembers ? row.memberCount : undefined,
    locale: view.locale ? LOCALE : undefined,
  };
}
