import { defineChatEvent, type EventPlace } from '../events/define-chat-event.js';

/** Who pinned a message, when in seconds. */
export interface PinnedBy {
  readonly by: string;
  readonly at: number;
}

interface PinChange extends EventPlace {
  readonly userId: string;
  readonly pin: PinnedBy;
  /** JSON text of the message, with its permalink. */
  readonly message: string;
  /** Absent when the message has no `user`. */
  readonly authorId: string | undefined;
  /** After the change. */
  readonly pinCount: number;
  readonly eventTs: string;
}

const wireOf = (type: string, change: PinChange, more: object): string => {
  const { conversation, pin } = change;
  const item = { type: 'message', created: pin.at, created_by: pin.by, channel: conversation.id };
  const rest = {
    item_user: change.authorId,
    pin_count: change.pinCount,
    ...more,
    event_ts: change.eventTs,
  };
  const head = JSON.stringify({ type, user: change.userId, channel_id: conversation.id }).slice(0, -1);
  return `${head},"item":${JSON.stringify(item).slice(0, -1)},"message":${change.message}},${JSON.stringify(rest).slice(1)}`;
};

export const pinAdded = defineChatEvent<PinChange>({
  kind: 'pin_added',
  hears: { scope: 'pins:read', audience: 'members' },
  wire: (change) => {
    const { conversation, pin } = change;
    const info = { channel: conversation.id, pinned_by: pin.by, pinned_ts: pin.at };
    return wireOf('pin_added', change, { pinned_info: info });
  },
});

/** The message is no longer pinned, so nothing here is `pinned_…`. */
export const pinRemoved = defineChatEvent<PinChange>({
  kind: 'pin_removed',
  hears: { scope: 'pins:read', audience: 'members' },
  wire: (change) => wireOf('pin_removed', change, { has_pins: change.pinCount > 0 }),
});
