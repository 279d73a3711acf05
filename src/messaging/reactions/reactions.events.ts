import { defineChatEvent, type HearingRule, type EventPlace } from '../events/define-chat-event.js';

export const REACTION_RULE = {
  scope: 'reactions:read',
  audience: 'members',
  isRealtime: true,
} as const satisfies HearingRule;

export interface ReactionChange extends EventPlace {
  /** Wire form of the message's ts. */
  readonly ts: string;
  readonly userId: string;
  readonly name: string;
  readonly eventTs: string;
  /** Of the message; null: it has none. */
  readonly authorId: string | null;
}

const reactionEvent = (kind: 'reaction_added' | 'reaction_removed') =>
  defineChatEvent<ReactionChange>({
    kind,
    hears: REACTION_RULE,
    wire: (change) => {
      const text = JSON.stringify({
        type: kind,
        user: change.userId,
        reaction: change.name,
        item: { type: 'message', channel: change.conversation.id, ts: change.ts },
        event_ts: change.eventTs,
      });
      return change.authorId === null ? text : `${text.slice(0, -1)},"item_user":"${change.authorId}"}`;
    },
  });

export const reactionAdded = reactionEvent('reaction_added');
export const reactionRemoved = reactionEvent('reaction_removed');
