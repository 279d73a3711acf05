import { defineChatEvent, type Scene } from '../events/define-chat-event.js';

interface ReactionChange extends Scene {
  /** Wire form of the message's ts. */
  readonly ts: string;
  /** Absent when the message has no `user`. */
  readonly authorId: string | undefined;
  readonly userId: string;
  readonly name: string;
  readonly eventTs: string;
}

const reactionEvent = (kind: 'reaction_added' | 'reaction_removed') =>
  defineChatEvent<ReactionChange>({
    kind,
    hears: { scope: 'reactions:read', audience: 'members', isRealtime: true },
    wire: (change) => ({
      type: kind,
      user: change.userId,
      reaction: change.name,
      item_user: change.authorId,
      item: { type: 'message', channel: change.conversation.id, ts: change.ts },
      event_ts: change.eventTs,
    }),
  });

export const reactionAdded = reactionEvent('reaction_added');
export const reactionRemoved = reactionEvent('reaction_removed');
