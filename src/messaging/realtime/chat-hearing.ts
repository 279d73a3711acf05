import type { TailedEvent } from '../../kernel/events/event-tail.js';
import type { Hearing, Told } from '../../kernel/realtime/realtime-product.js';
import type { ConversationType } from '../model/conversation.entity.js';
import { EVENT_KINDS, ruleOf } from '../model/event-names.js';
import type { ChatSession } from './chat-session.js';
import type { Place } from './realtime.queries.js';

/** The type of a conversation by what `message` events call it (D.2). */
const TYPES: Readonly<Record<string, ConversationType>> = {
  channel: 'public',
  group: 'private',
  im: 'im',
  mpim: 'mpim',
};

/** The fields of an inner event that decide who hears it (D.2). */
interface Inner {
  readonly channel_type?: string;
  /** A user's id, but for `user_change` the user object. */
  readonly user?: unknown;
}

/** The type of conversation that an event is about, as far as the scope depends on it. */
function typeOf({ kind, room }: TailedEvent, { channel_type: type }: Inner): ConversationType | undefined {
  if (kind === 'message') return TYPES[type ?? ''];
  if (type === undefined) return undefined;
  // in `member_*` `G` stands for private channels and group direct messages alike; their ids differ (A.10)
  return type === 'C' ? 'public' : room.startsWith('conversation:G') ? 'mpim' : 'private';
}

const KINDS = new Set<string>(EVENT_KINDS);

/** The scope that an app token needs for an event (F, D.4); null: none; undefined: sockets never hear of it. */
function scopeOf(event: TailedEvent, inner: Inner): string | null | undefined {
  // ephemeral messages: what only its user hears is a matter of no scope
  if (event.room.startsWith('user:')) return null;
  return KINDS.has(event.kind) ? ruleOf(event.kind, typeOf(event, inner))?.scope : undefined;
}

const CONVERSATION = 'conversation:';
const conversationOf = (event: TailedEvent): string | undefined =>
  event.room.startsWith(CONVERSATION) ? event.room.slice(CONVERSATION.length) : undefined;

const keyOf = (place: Place): string => `${place.conversationId}/${place.userId}`;

/** The places that a batch asks about: every listening user in every conversation of the same tenant. */
export function placesOf(sessions: readonly ChatSession[], events: readonly TailedEvent[]): Place[] {
  const users = new Map<number, Set<string>>();
  for (const { tenantId, userId } of sessions) {
    const there = users.get(tenantId);
    if (there) there.add(userId);
    else users.set(tenantId, new Set([userId]));
  }
  const conversations = new Map<string, number>();
  for (const event of events) {
    const id = conversationOf(event);
    if (id !== undefined) conversations.set(id, event.tenantId);
  }
  return [...conversations].flatMap(([conversationId, tenantId]) =>
    [...(users.get(tenantId) ?? [])].map((userId) => ({ conversationId, userId })),
  );
}

/**
 * Who hears the events of one batch (messaging.md F). Memberships are those of this moment, except where the batch
 * itself tells of a change: before it they were the other way round. So whoever was removed hears what came before the
 * removal and the removal, and nothing after it.
 */
export class ChatHearing implements Hearing<ChatSession> {
  private readonly members: Set<string>;
  private readonly inner = new Map<TailedEvent, Inner>();

  constructor(
    private readonly live: ReadonlyMap<ChatSession, ReadonlySet<string> | null>,
    memberships: readonly Place[],
    events: readonly TailedEvent[],
  ) {
    this.members = new Set(memberships.map(keyOf));
    for (const event of events.toReversed()) {
      const changed = this.changeOf(event);
      if (changed?.joined) this.members.delete(keyOf(changed));
      else if (changed) this.members.add(keyOf(changed));
    }
  }

  isLive(session: ChatSession): boolean {
    return this.live.has(session);
  }

  tell(event: TailedEvent, sessions: readonly ChatSession[]): Told<ChatSession>[] {
    const inner = this.read(event);
    const changed = this.changeOf(event);
    if (changed?.joined) this.enter(changed, sessions);
    const scope = scopeOf(event, inner);
    const to =
      scope === undefined
        ? []
        : sessions.filter((session) => this.isIn(event, session) && (scope === null || this.holds(session, scope)));
    if (changed && !changed.joined) this.remove(changed, sessions);
    if (to.length === 0) return [];
    if (event.kind === 'user_change') return this.tellOfUser(inner, to);
    return [{ name: event.kind, argument: inner, to }];
  }

  /** Two versions: with the e-mail address for those who may see it (D.4). */
  private tellOfUser(inner: Inner, to: readonly ChatSession[]): Told<ChatSession>[] {
    const { user } = inner as { user: { profile: Record<string, unknown> } };
    const { email: _, ...profile } = user.profile;
    const [full, bare] = [true, false].map((may) => to.filter((one) => this.holds(one, 'users:read.email') === may));
    return [
      { name: 'user_change', argument: inner, to: full ?? [] },
      { name: 'user_change', argument: { ...inner, user: { ...user, profile } }, to: bare ?? [] },
    ];
  }

  private holds(session: ChatSession, scope: string): boolean {
    const scopes = this.live.get(session);
    return scopes === null || (scopes?.has(scope) ?? false);
  }

  /** Whether a session is in the event's room. */
  private isIn(event: TailedEvent, session: ChatSession): boolean {
    if (!this.isLive(session)) return false;
    const conversationId = conversationOf(event);
    if (conversationId === undefined) {
      return event.room === `team:${session.workspaceId}` || event.room === `user:${session.userId}`;
    }
    if (session.left.has(conversationId)) return false;
    return (
      session.subscribed.has(conversationId) || this.members.has(keyOf({ conversationId, userId: session.userId }))
    );
  }

  private enter(place: Place, sessions: readonly ChatSession[]): void {
    this.members.add(keyOf(place));
    for (const session of sessions) if (session.userId === place.userId) session.left.delete(place.conversationId);
  }

  /** Whoever leaves or is kicked is out, whichever way they came in. */
  private remove(place: Place, sessions: readonly ChatSession[]): void {
    this.members.delete(keyOf(place));
    for (const session of sessions) {
      if (session.userId === place.userId) session.subscribed.delete(place.conversationId);
    }
  }

  private changeOf(event: TailedEvent): (Place & { joined: boolean }) | undefined {
    const joined = event.kind === 'member_joined_channel';
    if (!joined && event.kind !== 'member_left_channel') return undefined;
    const conversationId = conversationOf(event);
    const { user } = this.read(event);
    return conversationId === undefined || typeof user !== 'string'
      ? undefined
      : { conversationId, userId: user, joined };
  }

  /** Parsed once, only where somebody listens. */
  private read(event: TailedEvent): Inner {
    let inner = this.inner.get(event);
    if (!inner) this.inner.set(event, (inner = JSON.parse(event.data) as Inner));
    return inner;
  }
}
