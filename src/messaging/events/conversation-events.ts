import type { Conversation } from '../store/conversation.entity.js';
import { READ_SCOPES } from './chat-events.js';
import { defineChatEvent, type EventViewer, type HearingRule, type EventPlace } from './define-chat-event.js';

/** Kinds about conversations, beyond the nine defaults, that are only sent to targets which name them. */

interface ByUser extends EventPlace {
  readonly userId: string;
  /** Wire form of the moment. */
  readonly eventTs: string;
}

const seconds = (micros: number): number => Math.floor(micros / 1e6);

const ofPublic: HearingRule = { scope: 'channels:read', audience: 'everyone' };
const ofPrivate = (): HearingRule => ({ scope: 'groups:read', audience: 'members' });

const renamed = (kind: 'channel_rename' | 'group_rename', hears: HearingRule) =>
  defineChatEvent<EventPlace & { conversation: Conversation; eventTs: string }>({
    kind,
    hears,
    wire: ({ conversation, eventTs }) => ({
      type: kind,
      channel: {
        id: conversation.id,
        is_channel: true,
        is_mpim: false,
        name: conversation.name,
        name_normalized: conversation.name,
        created: seconds(conversation.createdAt),
      },
      event_ts: eventTs,
    }),
  });

export const channelRenamed = renamed('channel_rename', { scope: 'channels:read', audience: 'everyone' });
export const groupRenamed = renamed('group_rename', ofPrivate());

export const channelUnarchived = defineChatEvent<ByUser>({
  kind: 'channel_unarchive',
  hears: ofPublic,
  wire: (change) => ({
    type: 'channel_unarchive',
    channel: change.conversation.id,
    user: change.userId,
    event_ts: change.eventTs,
  }),
});

export const groupArchived = defineChatEvent<ByUser>({
  kind: 'group_archive',
  hears: ofPrivate(),
  wire: (change) => ({
    type: 'group_archive',
    channel: change.conversation.id,
    user: change.userId,
    is_moved: 0,
    event_ts: change.eventTs,
  }),
});

export const groupUnarchived = defineChatEvent<ByUser>({
  kind: 'group_unarchive',
  hears: ofPrivate(),
  wire: (change) => ({
    type: 'group_unarchive',
    channel: change.conversation.id,
    actor_id: change.userId,
    event_ts: change.eventTs,
  }),
});

/** Whoever left hears of it alone. */
export const OWN_LEAVING_RULE = { scope: READ_SCOPES, audience: 'subject' } as const satisfies HearingRule;

const left = (kind: 'channel_left' | 'group_left') =>
  defineChatEvent<EventPlace & { userId: string; actorId: string; eventTs: string }>({
    kind,
    hears: OWN_LEAVING_RULE,
    subject: (change) => change.userId,
    wire: (change) => ({
      type: kind,
      channel: change.conversation.id,
      actor_id: change.actorId,
      event_ts: change.eventTs,
    }),
  });

export const channelLeft = left('channel_left');
export const groupLeft = left('group_left');

interface ImCreated {
  readonly user: string;
  readonly channel: { readonly user: string };
}

/** `channel.user` is the other party, whoever receives the event. */
function withOtherParty(inner: object, viewer: EventViewer): object {
  const { user, channel } = inner as ImCreated;
  return viewer.userId === channel.user ? { ...inner, channel: { ...channel, user } } : inner;
}

export const imCreated = defineChatEvent<ByUser & { otherId: string; createdAt: number }>({
  kind: 'im_created',
  hears: { scope: 'im:read', audience: 'members', redact: withOtherParty },
  wire: (change) => ({
    type: 'im_created',
    user: change.userId,
    channel: {
      id: change.conversation.id,
      is_im: true,
      created: seconds(change.createdAt),
      user: change.otherId,
    },
    event_ts: change.eventTs,
  }),
});

const shown = (kind: 'im_open' | 'im_close' | 'group_open' | 'group_close', scope: string) =>
  defineChatEvent<ByUser>({
    kind,
    hears: { scope, audience: 'members' },
    wire: (change) => ({
      type: kind,
      user: change.userId,
      channel: change.conversation.id,
      event_ts: change.eventTs,
    }),
  });

export const imOpened = shown('im_open', 'im:read');
export const imClosed = shown('im_close', 'im:read');
export const groupOpened = shown('group_open', 'mpim:read');
export const groupClosed = shown('group_close', 'mpim:read');
