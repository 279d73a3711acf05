import { defineEvent, type DomainEvent } from '../../kernel/events/event.js';
import { toWireChannel } from './conversation-wire.js';
import type { Conversation, ConversationType } from './conversation.entity.js';

/** What planning of deliveries needs to know about a chat event (messaging.md D.4); not stored. */
export interface ChatFacts {
  readonly workspaceId: string;
  /** Absent for kinds without a channel. */
  readonly conversation?: { readonly id: string; readonly type: ConversationType };
  /** `member_left_channel`: who left, a member as of before the change. */
  readonly leftUserId?: string;
}

/** The place where something happened. */
export interface Scene {
  readonly tenantId: number;
  readonly workspaceId: string;
  readonly conversation: Pick<Conversation, 'id' | 'type'>;
}

/** Where a caller does something. */
export const sceneOf = (
  caller: Pick<Scene, 'tenantId' | 'workspaceId'>,
  conversation: Scene['conversation'],
): Scene => ({
  tenantId: caller.tenantId,
  workspaceId: caller.workspaceId,
  conversation: { id: conversation.id, type: conversation.type },
});

/** `channel_type` of `message` events (D.2). */
export const channelType = (type: ConversationType): string =>
  ({ public: 'channel', private: 'group', im: 'im', mpim: 'mpim' })[type];

export const conversationRoom = (id: string): string => `conversation:${id}`;
export const userRoom = (id: string): string => `user:${id}`;
export const teamRoom = (id: string): string => `team:${id}`;

export const sceneFacts = (scene: Scene): ChatFacts => ({
  workspaceId: scene.workspaceId,
  conversation: { id: scene.conversation.id, type: scene.conversation.type },
});

/** A message as it is told: its JSON text with the channel put in. `ts` is the message's own. */
export const messagePosted = defineEvent<Scene & { wire: string; ts: string }>({
  product: 'chat',
  kind: 'message',
  tenantId: (change) => change.tenantId,
  room: (change) => conversationRoom(change.conversation.id),
  wire: (change) =>
    `${change.wire.slice(0, -1)},"channel":"${change.conversation.id}","channel_type":"${channelType(change.conversation.type)}","event_ts":"${change.ts}"}`,
  facts: sceneFacts,
});

interface Rewritten extends Scene {
  /** From the conversation's counter; names no stored message. */
  readonly ts: string;
  /** JSON texts of the message before and after. */
  readonly previous: string;
  readonly message: string;
}

const hiddenMessage = (scene: Scene, subtype: string, ts: string): string =>
  `{"type":"message","subtype":"${subtype}","hidden":true,"channel":"${scene.conversation.id}","channel_type":"${channelType(scene.conversation.type)}","ts":"${ts}","event_ts":"${ts}"`;

export const messageChanged = defineEvent<Rewritten>({
  product: 'chat',
  kind: 'message',
  tenantId: (change) => change.tenantId,
  room: (change) => conversationRoom(change.conversation.id),
  wire: (change) =>
    `${hiddenMessage(change, 'message_changed', change.ts)},"message":${change.message},"previous_message":${change.previous}}`,
  facts: sceneFacts,
});

export const messageDeleted = defineEvent<Omit<Rewritten, 'message'> & { deletedTs: string }>({
  product: 'chat',
  kind: 'message',
  tenantId: (change) => change.tenantId,
  room: (change) => conversationRoom(change.conversation.id),
  wire: (change) =>
    `${hiddenMessage(change, 'message_deleted', change.ts)},"deleted_ts":"${change.deletedTs}","previous_message":${change.previous}}`,
  facts: sceneFacts,
});

/**
 * A message for one user's eyes only: it is not stored, and only that user's sockets hear of it (messaging.md F). No
 * facts, so nobody plans a delivery.
 */
export const ephemeralSent = defineEvent<Scene & { userId: string; open: string; ts: string }>({
  product: 'chat',
  kind: 'message',
  tenantId: (change) => change.tenantId,
  room: (change) => userRoom(change.userId),
  wire: (change) =>
    `${change.open},"is_ephemeral":true,"channel":"${change.conversation.id}","channel_type":"${channelType(change.conversation.type)}","ts":"${change.ts}","event_ts":"${change.ts}"}`,
});

/** D.3: follows a reply's own event; only targets that name it get it. */
export const messageReplied = defineEvent<
  Scene & { ts: string; parent: string; reply: { user: string | undefined; ts: string } }
>({
  product: 'chat',
  kind: 'message_replied',
  tenantId: (change) => change.tenantId,
  room: (change) => conversationRoom(change.conversation.id),
  wire: (change) =>
    `${hiddenMessage(change, 'message_replied', change.ts)},"message":${change.parent.slice(0, -1)},"replies":[${JSON.stringify(change.reply)}]}}`,
  facts: sceneFacts,
});

interface Membership extends Scene {
  readonly userId: string;
  readonly inviterId?: string | undefined;
  readonly eventTs: string;
}

const letter = (type: ConversationType): string => (type === 'public' ? 'C' : 'G');

export const memberJoined = defineEvent<Membership>({
  product: 'chat',
  kind: 'member_joined_channel',
  tenantId: (change) => change.tenantId,
  room: (change) => conversationRoom(change.conversation.id),
  wire: (change) => ({
    type: 'member_joined_channel',
    user: change.userId,
    channel: change.conversation.id,
    channel_type: letter(change.conversation.type),
    team: change.workspaceId,
    inviter: change.inviterId,
    event_ts: change.eventTs,
  }),
  facts: sceneFacts,
});

export const memberLeft = defineEvent<Membership>({
  product: 'chat',
  kind: 'member_left_channel',
  tenantId: (change) => change.tenantId,
  room: (change) => conversationRoom(change.conversation.id),
  wire: (change) => ({
    type: 'member_left_channel',
    user: change.userId,
    channel: change.conversation.id,
    channel_type: letter(change.conversation.type),
    team: change.workspaceId,
    event_ts: change.eventTs,
  }),
  facts: (change) => ({ ...sceneFacts(change), leftUserId: change.userId }),
});

interface OfUser {
  readonly tenantId: number;
  readonly workspaceId: string;
  /** Wire form of the moment. */
  readonly eventTs: string;
}

/**
 * A profile changed. `user` is the user object with its e-mail address and locale: the address is taken out for each
 * receiver that may not see it (D.4).
 */
export const userChanged = defineEvent<OfUser & { user: object; cacheTs: number }>({
  product: 'chat',
  kind: 'user_change',
  tenantId: (change) => change.tenantId,
  room: (change) => teamRoom(change.workspaceId),
  wire: (change) => ({ type: 'user_change', user: change.user, cache_ts: change.cacheTs, event_ts: change.eventTs }),
  facts: (change): ChatFacts => ({ workspaceId: change.workspaceId }),
});

export const presenceChanged = defineEvent<OfUser & { userId: string; presence: 'active' | 'away' }>({
  product: 'chat',
  kind: 'presence_change',
  tenantId: (change) => change.tenantId,
  room: (change) => teamRoom(change.workspaceId),
  wire: (change) => ({
    type: 'presence_change',
    user: change.userId,
    presence: change.presence,
    event_ts: change.eventTs,
  }),
  facts: (change): ChatFacts => ({ workspaceId: change.workspaceId }),
});

/** Public channels only: the whole workspace hears of them. */
export const channelCreated = defineEvent<Scene & { conversation: Conversation; eventTs: string }>({
  product: 'chat',
  kind: 'channel_created',
  tenantId: (change) => change.tenantId,
  room: (change) => teamRoom(change.workspaceId),
  wire: (change) => ({
    type: 'channel_created',
    channel: toWireChannel(change.conversation, { flavour: 'event', isMember: false }),
    event_ts: change.eventTs,
  }),
  facts: sceneFacts,
});

/** Public channels only. */
export const channelArchived = defineEvent<Scene & { userId: string; eventTs: string }>({
  product: 'chat',
  kind: 'channel_archive',
  tenantId: (change) => change.tenantId,
  room: (change) => teamRoom(change.workspaceId),
  wire: (change) => ({
    type: 'channel_archive',
    channel: change.conversation.id,
    user: change.userId,
    is_moved: 0,
    event_ts: change.eventTs,
  }),
  facts: sceneFacts,
});

export type { DomainEvent };
