import type { RecordedEvent } from '../../kernel/events/recorded-event.js';
import type { Hearing, Emission } from '../../kernel/realtime/realtime-product.js';
import type { ConversationType } from '../store/conversation.entity.js';
import { MESSAGE_RULE, STREAM_GREW } from '../events/chat-events.js';
import { hearingRuleOf, scopeFor } from '../events/define-chat-event.js';
import { SCREEN_CHANGED } from '../events/screen-events.js';
import type { ChatSession } from './chat-session.js';
import type { Membership } from './realtime.queries.js';

/** The type of a conversation by what `message` events call it (docs/reference/events.md#kinds). */
const TYPES: Readonly<Record<string, ConversationType>> = {
  channel: 'public',
  group: 'private',
  im: 'im',
  mpim: 'mpim',
};

/** The fields of an inner event that decide who receives it (docs/reference/events.md#kinds). */
interface Inner {
  readonly channel_type?: string;
  /** A user's id, or a user object. */
  readonly user?: unknown;
}

/** The type of conversation that an event is about, as far as the scope depends on it. */
function typeOf({ room }: RecordedEvent, { channel_type: type }: Inner): ConversationType | undefined {
  if (type === undefined) return undefined;
  if (type in TYPES) return TYPES[type];
  // in `member_*` `G` stands for private channels and group direct messages alike; their ids differ
  // (docs/reference/chat.md#ids)
  return type === 'C' ? 'public' : room.startsWith('conversation:G') ? 'mpim' : 'private';
}

/**
 * The scope that an app token needs for an event (docs/reference/events.md#who-hears); null: none; undefined: sockets
 * never receive it.
 */
function scopeOf(event: RecordedEvent, inner: Inner): string | null | undefined {
  // ephemeral messages: no scope is needed for what only its user receives
  if (event.room.startsWith('user:') || event.kind === 'sandbox_reset') return null;
  const rule = event.kind === STREAM_GREW ? MESSAGE_RULE : hearingRuleOf(event.kind);
  return rule?.isRealtime ? scopeFor(rule, typeOf(event, inner)) : undefined;
}

const CONVERSATION = 'conversation:';
const conversationOf = (event: RecordedEvent): string | undefined =>
  event.room.startsWith(CONVERSATION) ? event.room.slice(CONVERSATION.length) : undefined;

/** What a batch has to look up: the listening users, and the conversations that they may be members of. */
export function addressedBy(
  sessions: readonly ChatSession[],
  events: readonly RecordedEvent[],
): { conversationIds: string[]; userIds: string[] } {
  const conversations = new Set(events.map(conversationOf).filter((id) => id !== undefined));
  return { conversationIds: [...conversations], userIds: [...new Set(sessions.map(({ userId }) => userId))] };
}

/**
 * Determines who receives the events of one batch (docs/reference/realtime.md#chat). Memberships are the current ones,
 * except where the batch itself contains a change: before it they were the opposite. So a removed user receives
 * everything before the removal and the removal itself, and nothing after it.
 */
export class ChatHearing implements Hearing<ChatSession> {
  private readonly inner = new Map<RecordedEvent, Inner>();

  constructor(
    private readonly live: ReadonlyMap<ChatSession, ReadonlySet<string> | null>,
    /** Listening users by conversation. */
    private readonly members: Map<string, Set<string>>,
    events: readonly RecordedEvent[],
    /** What is said of streams that grew and are still open. */
    private readonly grown: ReadonlyMap<RecordedEvent, object> = new Map(),
  ) {
    for (const event of events.toReversed()) {
      const changed = this.changeOf(event);
      if (changed?.joined) this.membersOf(changed).delete(changed.userId);
      else if (changed) this.membersOf(changed).add(changed.userId);
    }
  }

  isLive(session: ChatSession): boolean {
    return this.live.has(session);
  }

  emissionsOf(event: RecordedEvent, sessions: readonly ChatSession[]): Emission<ChatSession>[] {
    const inner = this.read(event);
    const changed = this.changeOf(event);
    if (changed?.joined) this.enter(changed, sessions);
    const scope = scopeOf(event, inner);
    const to =
      scope === undefined
        ? []
        : sessions.filter(
            (session) =>
              this.isIn(event, session) &&
              (scope === null || this.holds(session, scope)) &&
              (event.kind !== SCREEN_CHANGED || this.live.get(session) === null),
          );
    if (changed && !changed.joined) this.remove(changed, sessions);
    if (to.length === 0) return [];
    if (event.kind === STREAM_GREW) {
      const argument = this.grown.get(event);
      return argument ? [{ name: 'message', argument, to }] : [];
    }
    const redact = hearingRuleOf(event.kind)?.redact;
    if (!redact) return [{ name: event.kind, argument: inner, to }];
    return [true, false].map((seesEmails) => ({
      name: event.kind,
      argument: redact(inner, { userId: null, seesEmails }),
      to: to.filter((one) => this.holds(one, 'users:read.email') === seesEmails),
    }));
  }

  private holds(session: ChatSession, scope: string): boolean {
    const scopes = this.live.get(session);
    return scopes === null || (scopes?.has(scope) ?? false);
  }

  /** Whether a session listens to the event's room. */
  private isIn(event: RecordedEvent, session: ChatSession): boolean {
    if (!this.isLive(session)) return false;
    const conversationId = conversationOf(event);
    if (conversationId === undefined) {
      return event.room === `team:${session.workspaceId}` || event.room === `user:${session.userId}`;
    }
    if (session.left.has(conversationId)) return false;
    return session.subscribed.has(conversationId) || (this.members.get(conversationId)?.has(session.userId) ?? false);
  }

  private enter(membership: Membership, sessions: readonly ChatSession[]): void {
    this.membersOf(membership).add(membership.userId);
    for (const session of sessions)
      if (session.userId === membership.userId) session.left.delete(membership.conversationId);
  }

  /** A user who leaves or is kicked is removed, however they came in. */
  private remove(membership: Membership, sessions: readonly ChatSession[]): void {
    this.membersOf(membership).delete(membership.userId);
    for (const session of sessions) {
      if (session.userId === membership.userId) session.subscribed.delete(membership.conversationId);
    }
  }

  private membersOf({ conversationId }: Membership): Set<string> {
    let there = this.members.get(conversationId);
    if (!there) this.members.set(conversationId, (there = new Set()));
    return there;
  }

  private changeOf(event: RecordedEvent): (Membership & { joined: boolean }) | undefined {
    const membership = hearingRuleOf(event.kind)?.membership;
    if (!membership) return undefined;
    const conversationId = conversationOf(event);
    const { user } = this.read(event);
    return conversationId === undefined || typeof user !== 'string'
      ? undefined
      : { conversationId, userId: user, joined: membership === 'joins' };
  }

  /** Parsed once, only if there are listeners. */
  private read(event: RecordedEvent): Inner {
    let inner = this.inner.get(event);
    if (!inner) this.inner.set(event, (inner = JSON.parse(event.data) as Inner));
    return inner;
  }
}
