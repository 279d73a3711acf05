import { Logger } from '@nestjs/common';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import type { Socket } from 'socket.io';
import { Db } from '../../kernel/database/db.js';
import { isStoreUnavailable } from '../../kernel/database/unavailable.js';
import { REALTIME } from '../../kernel/realtime/realtime.gateway.js';
import { Realtime } from '../../kernel/realtime/realtime.js';
import { ConversationAccess } from '../access/conversation-access.js';
import type { VisibleConversation } from '../access/identity.js';
import type { ChatSession } from './chat-session.js';
import { liveSessions } from './realtime.queries.js';

/** The client's acknowledgement. */
type Ack = { ok: true } | { ok: false; error: string };

const NOT_FOUND: Ack = { ok: false, error: 'channel_not_found' };
const CHANNEL_ID = /^[CDG]0[0-9A-Z]{9}$/;

/**
 * Requests of clients on the realtime channel (docs/reference/realtime.md#chat). An acknowledgement is only sent if the
 * client asks for one.
 */
@WebSocketGateway(REALTIME)
export class SubscriptionsGateway {
  private readonly log = new Logger('Realtime');

  constructor(
    private readonly realtime: Realtime,
    private readonly db: Db,
    private readonly conversations: ConversationAccess,
  ) {}

  /** Enters the room of a public channel without membership. */
  @SubscribeMessage('subscribe')
  subscribe(socket: Socket, body: unknown): Promise<Ack | undefined> {
    return this.answer(socket, body, 'channels:history', (session, conversation) => {
      session.left.delete(conversation.id);
      if (conversation.type === 'public') session.subscribed.add(conversation.id);
    });
  }

  /** Leaves the room; a member gets events again after subscribing or joining anew. */
  @SubscribeMessage('unsubscribe')
  unsubscribe(socket: Socket, body: unknown): Promise<Ack | undefined> {
    return this.answer(socket, body, null, (session, conversation) => {
      session.subscribed.delete(conversation.id);
      session.left.add(conversation.id);
    });
  }

  /** Undefined once the socket's credential has ended: it is disconnected instead. */
  private async answer(
    socket: Socket,
    body: unknown,
    scope: string | null,
    change: (session: ChatSession, conversation: VisibleConversation) => void,
  ): Promise<Ack | undefined> {
    try {
      const session = this.realtime.sessionOf(socket, 'chat') as ChatSession | undefined;
      if (!session) return NOT_FOUND;
      await this.realtime.caughtUp([session.tenantId]);
      const scopes = (await liveSessions(this.db, [session])).get(session);
      if (scopes === undefined) {
        this.realtime.end(session);
        return undefined;
      }
      if (scope !== null && scopes !== null && !scopes.has(scope)) return { ok: false, error: 'missing_scope' };
      const named = channelOf(body);
      const id = named === undefined ? undefined : (session.ids?.inside(named) ?? named);
      const conversation = id === undefined ? null : await this.conversations.find(session.identity, id);
      if (!conversation) return NOT_FOUND;
      change(session, conversation);
      return { ok: true };
    } catch (error) {
      if (isStoreUnavailable(error)) return { ok: false, error: 'service_unavailable' };
      this.log.error(`a subscription failed: ${(error as Error).message}`, (error as Error).stack);
      return { ok: false, error: 'internal_error' };
    }
  }
}

function channelOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('channel' in body)) return undefined;
  const { channel } = body;
  return typeof channel === 'string' && CHANNEL_ID.test(channel) ? channel : undefined;
}
