import type { ProductReplies } from '../../kernel/sandbox/product-acts.js';
import type { EventAfter } from './act-watch.queries.js';

type Json = Record<string, unknown>;

/** What apps did in response to an act. */
export interface Replies {
  readonly messages: readonly Json[];
  readonly ephemeral: readonly Json[];
  readonly views: readonly Json[];
  readonly reactions: readonly Json[];
  /** In the tracker: by users of applications. */
  readonly comments: ProductReplies['comments'];
  readonly activities: ProductReplies['activities'];
}

interface MessageEvent extends Json {
  readonly subtype?: string;
  readonly channel: string;
  readonly ts: string;
  readonly is_ephemeral?: boolean;
  readonly bot_id?: string;
  readonly message?: Json;
  readonly previous_message?: Json;
}

interface ReactionEvent {
  readonly user: string;
  readonly reaction: string;
  readonly item: { readonly channel: string; readonly ts: string };
}

/** Extracts replies from the events after an act, in order. */
export class RepliesReader {
  private readonly messages = new Map<string, Json>();
  private readonly ephemeral: Json[] = [];
  private readonly reactions = new Map<string, Json & { user: string }>();

  /** @param channel the act's conversation @param from when it was done, in milliseconds since 1970 */
  constructor(
    private readonly channel: string | null,
    private readonly from: number,
  ) {}

  read({ kind, room, data, at }: EventAfter): void {
    const ms = Math.max(0, Math.round(at - this.from));
    if (kind !== 'message') return this.readReaction(kind, JSON.parse(data) as ReactionEvent, ms);
    const event = JSON.parse(data) as MessageEvent;
    if (room.startsWith('user:')) {
      const isThere = this.channel === null || event.channel === this.channel || event.channel.startsWith('D');
      if (event.is_ephemeral === true && isThere) this.ephemeral.push(shown(event, event.channel, ms));
      return;
    }
    this.readMessage(event, ms);
  }

  /** Messages that their apps were still writing when they were last heard of. */
  streaming(): { readonly channel: string; readonly ts: string }[] {
    return [...this.messages.values()]
      .filter(isUnfinished)
      .map(({ channel, ts }) => ({ channel: String(channel), ts: String(ts) }));
  }

  /** Users who reacted: the caller picks the bots among them. */
  reactors(): string[] {
    return [...new Set([...this.reactions.values()].map((reaction) => reaction.user))];
  }

  /** @param written messages as they stand, by channel and ts, instead of what was heard of them */
  replies(
    bots: ReadonlySet<string>,
    written: ReadonlyMap<string, object>,
  ): Omit<Replies, 'views' | keyof ProductReplies> {
    return {
      messages: [...this.messages].map(([key, message]) => ({ ...message, ...written.get(key) })),
      ephemeral: this.ephemeral,
      reactions: [...this.reactions.values()].filter((reaction) => bots.has(reaction.user)),
    };
  }

  /** A bot's message in its latest version; a deleted one is left out. */
  private readMessage(event: MessageEvent, ms: number): void {
    const { channel } = event;
    if (event.subtype === 'message_deleted') {
      this.messages.delete(`${channel} ${String(event.previous_message?.['ts'])}`);
      return;
    }
    const isChange = event.subtype === 'message_changed';
    const message = isChange ? (event.message as Json) : event;
    const key = `${channel} ${String(message['ts'])}`;
    if (isChange && message['subtype'] === 'tombstone') this.messages.delete(key);
    else if (
      message['bot_id'] !== undefined &&
      (!isChange || message['edited'] !== undefined || message['streaming_state'] !== undefined)
    ) {
      this.messages.set(key, shown(message, channel, Number(this.messages.get(key)?.['ms'] ?? ms)));
    }
  }

  private readReaction(kind: string, { user, reaction, item }: ReactionEvent, ms: number): void {
    const key = `${user} ${reaction} ${item.channel} ${item.ts}`;
    if (kind === 'reaction_removed') this.reactions.delete(key);
    else this.reactions.set(key, { user, reaction, channel: item.channel, ts: item.ts, ms });
  }
}

/** It is a reply when it is complete. */
export const isUnfinished = (message: Json): boolean => message['streaming_state'] === 'in_progress';

/** The message itself, without the fields of its event. */
function shown(message: Json, channel: string, ms: number): Json {
  const { channel_type: _, event_ts: __, channel: ___, ...rest } = message;
  return { ...rest, channel, ms };
}
