import type { EventPlace } from '../events/chat-events.js';
import type { Draft } from './draft.js';
import { openWire } from '../wire/message-wire.js';

/**
 * System messages in conversations (docs/reference/chat.md#system-messages). `user` is the actor, even when that is a
 * bot's user: no one posted it, so it has no `bot_id`.
 */
function systemMessage(place: EventPlace, subtype: string, userId: string, text: string, extra?: object): Draft {
  return {
    userId,
    botId: null,
    subtype,
    text,
    // only a bot's profile has URLs
    open: openWire({
      workspaceId: place.workspaceId,
      publicUrl: '',
      author: { user: userId },
      content: { text },
      subtype,
      extra,
    }),
    metadata: null,
  };
}

const mention = (userId: string): string => `<@${userId}>`;

export const joinMessage = (place: EventPlace, userId: string, inviterId?: string): Draft =>
  systemMessage(place, 'channel_join', userId, `${mention(userId)} has joined the channel`, { inviter: inviterId });

/** By the one who left or, when `removed`, was kicked. */
export const leaveMessage = (place: EventPlace, userId: string, removed: boolean): Draft =>
  systemMessage(
    place,
    'channel_leave',
    userId,
    `${mention(userId)} ${removed ? 'was removed from the channel' : 'has left the channel'}`,
  );

/** Topic or purpose; the empty text clears it. */
export const labelMessage = (place: EventPlace, userId: string, label: 'topic' | 'purpose', value: string): Draft =>
  systemMessage(
    place,
    `channel_${label}`,
    userId,
    `${mention(userId)} ${value === '' ? `cleared the channel ${label}` : `set the channel ${label}: ${value}`}`,
    { [label]: value },
  );

export const renameMessage = (place: EventPlace, userId: string, from: string, to: string): Draft =>
  systemMessage(place, 'channel_name', userId, `${mention(userId)} has renamed the channel from "${from}" to "${to}"`, {
    old_name: from,
    name: to,
  });

export const archiveMessage = (place: EventPlace, userId: string): Draft =>
  systemMessage(place, 'channel_archive', userId, `${mention(userId)} archived the channel`);

export const unarchiveMessage = (place: EventPlace, userId: string): Draft =>
  systemMessage(place, 'channel_unarchive', userId, `${mention(userId)} un-archived the channel`);
