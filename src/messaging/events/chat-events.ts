import { toWireChannel } from '../wire/conversation-wire.js';
import type { Conversation, ConversationType } from '../store/conversation.entity.js';
import {
  defineChatEvent,
  teamRoom,
  userRoom,
  USER_RULE,
  type HearingRule,
  type InWorkspace,
  type EventPlace,
} from './define-chat-event.js';

/** The scope needed to receive messages of a type of conversation. */
export const HISTORY_SCOPES: Readonly<Record<ConversationType, string>> = {
  public: 'channels:history',
  private: 'groups:history',
  im: 'im:history',
  mpim: 'mpim:history',
};

/** The scope needed to see a type of conversation and its members. */
export const READ_SCOPES: Readonly<Record<ConversationType, string>> = {
  public: 'channels:read',
  private: 'groups:read',
  im: 'im:read',
  mpim: 'mpim:read',
};

/** `channel_type` of `message` events (docs/reference/events.md#kinds). */
export const channelType = (type: ConversationType): string =>
  ({ public: 'channel', private: 'group', im: 'im', mpim: 'mpim' })[type];

/** Every `message` event, whatever its subtype. */
export const MESSAGE_RULE = {
  scope: HISTORY_SCOPES,
  audience: 'members',
  isRealtime: true,
  // the reference service's names (docs/reference/control-plane.md#event-subscriptions)
  namesByType: {
    public: 'message.channels',
    private: 'message.groups',
    im: 'message.im',
    mpim: 'message.mpim',
  },
} as const satisfies HearingRule;

/** A message as events carry it: its JSON text with the channel. `ts` is the message's own. */
export const messagePosted = defineChatEvent<EventPlace & { wire: string; ts: string }>({
  kind: 'message',
  hears: MESSAGE_RULE,
  wire: (change) =>
    `${change.wire.slice(0, -1)},"channel":"${change.conversation.id}","channel_type":"${channelType(change.conversation.type)}","event_ts":"${change.ts}"}`,
});

interface Rewritten extends EventPlace {
  /** From the conversation's counter; names no stored message. */
  readonly ts: string;
  /** JSON texts of the message before and after. */
  readonly previous: string;
  readonly message: string;
}

const hiddenMessage = (place: EventPlace, subtype: string, ts: string): string =>
  `{"type":"message","subtype":"${subtype}","hidden":true,"channel":"${place.conversation.id}","channel_type":"${channelType(place.conversation.type)}","ts":"${ts}","event_ts":"${ts}"`;

export const messageChanged = defineChatEvent<Rewritten>({
  kind: 'message',
  hears: MESSAGE_RULE,
  wire: (change) =>
    `${hiddenMessage(change, 'message_changed', change.ts)},"message":${change.message},"previous_message":${change.previous}}`,
});

/** The kind of what is said of an open stream to the sockets of one process; it is in no log. */
export const STREAM_GREW = 'stream_grew';

/** A stream that is being written, as realtime clients hear of it. @param now wire form of a ts */
export const streamChange = (
  channel: string,
  channelTypeName: string,
  now: string,
  { wire, begun }: { wire: string; begun: string | null },
): string =>
  `{"type":"message","subtype":"message_changed","hidden":true,"channel":"${channel}","channel_type":"${channelTypeName}","ts":"${now}","event_ts":"${now}","message":${wire},"previous_message":${begun ?? wire}}`;

export const messageDeleted = defineChatEvent<Omit<Rewritten, 'message'> & { deletedTs: string }>({
  kind: 'message',
  hears: MESSAGE_RULE,
  wire: (change) =>
    `${hiddenMessage(change, 'message_deleted', change.ts)},"deleted_ts":"${change.deletedTs}","previous_message":${change.previous}}`,
});

/**
 * An ephemeral message: it is not stored, and only that user's sockets receive it (docs/reference/realtime.md#chat), so
 * no delivery is planned.
 */
export const ephemeralSent = defineChatEvent<EventPlace & { userId: string; open: string; ts: string }>({
  kind: 'message',
  hears: null,
  room: (change) => userRoom(change.userId),
  wire: (change) =>
    `${change.open},"is_ephemeral":true,"channel":"${change.conversation.id}","channel_type":"${channelType(change.conversation.type)}","ts":"${change.ts}","event_ts":"${change.ts}"}`,
});

export const MESSAGE_REPLIED_RULE = { scope: HISTORY_SCOPES, audience: 'members' } as const satisfies HearingRule;

const replyText = ({ user, ts }: { user: string | undefined; ts: string }): string =>
  `{${user === undefined ? '' : `"user":${JSON.stringify(user)},`}"ts":"${ts}"}`;

/** docs/reference/events.md#kinds: follows a reply's own event; only sent to targets that name it. */
export const messageReplied = defineChatEvent<
  EventPlace & { ts: string; parent: string; reply: { user: string | undefined; ts: string } }
>({
  kind: 'message_replied',
  hears: MESSAGE_REPLIED_RULE,
  wire: (change) =>
    `${hiddenMessage(change, 'message_replied', change.ts)},"message":${change.parent.slice(0, -1)},"replies":[${replyText(change.reply)}]}}`,
});

interface Membership extends EventPlace {
  readonly userId: string;
  readonly inviterId?: string | undefined;
  readonly eventTs: string;
}

const letter = (type: ConversationType): string => (type === 'public' ? 'C' : 'G');

export const JOINED_RULE = {
  scope: READ_SCOPES,
  audience: 'members',
  isRealtime: true,
  membership: 'joins',
} as const satisfies HearingRule;

export const LEFT_RULE = { ...JOINED_RULE, membership: 'leaves' } as const satisfies HearingRule;

export const memberJoined = defineChatEvent<Membership>({
  kind: 'member_joined_channel',
  hears: JOINED_RULE,
  wire: (change) => ({
    type: 'member_joined_channel',
    user: change.userId,
    channel: change.conversation.id,
    channel_type: letter(change.conversation.type),
    team: change.workspaceId,
    inviter: change.inviterId,
    event_ts: change.eventTs,
  }),
});

export const memberLeft = defineChatEvent<Membership>({
  kind: 'member_left_channel',
  hears: LEFT_RULE,
  wire: (change) => ({
    type: 'member_left_channel',
    user: change.userId,
    channel: change.conversation.id,
    channel_type: letter(change.conversation.type),
    team: change.workspaceId,
    event_ts: change.eventTs,
  }),
  subject: (change) => change.userId,
});

interface OfUser extends InWorkspace {
  /** Wire form of the moment. */
  readonly eventTs: string;
}

/**
 * A profile changed. `user` is the user object with its e-mail address and locale: the address is removed for each
 * receiver that may not see it (docs/reference/events.md#who-hears).
 */
export const userChanged = defineChatEvent<OfUser & { user: object; cacheTs: number }>({
  kind: 'user_change',
  hears: { ...USER_RULE, isRealtime: true },
  room: (change) => teamRoom(change.workspaceId),
  wire: (change) => ({ type: 'user_change', user: change.user, cache_ts: change.cacheTs, event_ts: change.eventTs }),
});

export const PRESENCE_RULE = {
  scope: 'users:read',
  audience: 'everyone',
  isRealtime: true,
} as const satisfies HearingRule;

export const presenceChanged = defineChatEvent<OfUser & { userId: string; presence: 'active' | 'away' }>({
  kind: 'presence_change',
  hears: PRESENCE_RULE,
  room: (change) => teamRoom(change.workspaceId),
  wire: (change) => ({
    type: 'presence_change',
    user: change.userId,
    presence: change.presence,
    event_ts: change.eventTs,
  }),
});

/** Public channels only: the whole workspace receives them. */
export const channelCreated = defineChatEvent<EventPlace & { conversation: Conversation; eventTs: string }>({
  kind: 'channel_created',
  hears: { scope: 'channels:read', audience: 'everyone', isRealtime: true },
  room: (change) => teamRoom(change.workspaceId),
  wire: (change) => ({
    type: 'channel_created',
    channel: toWireChannel(change.conversation, { flavour: 'event', isMember: false }),
    event_ts: change.eventTs,
  }),
});

/** Public channels only. */
export const channelArchived = defineChatEvent<EventPlace & { userId: string; eventTs: string }>({
  kind: 'channel_archive',
  hears: { scope: 'channels:read', audience: 'everyone', isRealtime: true },
  room: (change) => teamRoom(change.workspaceId),
  wire: (change) => ({
    type: 'channel_archive',
    channel: change.conversation.id,
    user: change.userId,
    is_moved: 0,
    event_ts: change.eventTs,
  }),
});

export { eventPlaceOf, type DomainEvent, type EventPlace } from './define-chat-event.js';
