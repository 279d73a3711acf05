import { Injectable } from '@nestjs/common';
import { AccessTokens } from '../../auth/access-tokens.js';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import type { RecordedEvent } from '../../kernel/events/recorded-event.js';
import { sha256Hex } from '../../kernel/ids/ids.js';
import type { Admission, Handshake, Hearing, RealtimeProduct } from '../../kernel/realtime/realtime-product.js';
import { Realtime } from '../../kernel/realtime/realtime.js';
import { MessagingError } from '../wire/codes.js';
import { channelType, STREAM_GREW, streamChange } from '../events/chat-events.js';
import { conversationRoom } from '../events/define-chat-event.js';
import { formatTs } from '../store/message-ts.js';
import { OPEN_STREAM_MESSAGES } from '../messages/stream-news.queries.js';
import { StreamNews, type GrownStream } from '../messages/stream-news.js';
import { Credentials, isAppToken, isJwt } from '../rpc/credentials.js';
import { ChatHearing, addressedBy } from './chat-hearing.js';
import { ChatSession } from './chat-session.js';
import { liveSessions, memberships } from './realtime.queries.js';

/** The kinds of credential that may listen. */
const HEARING: readonly string[] = ['bot', 'user', 'jwt'];

/** What the chat product brings to the realtime channel (docs/reference/realtime.md#chat). */
@Injectable()
export class ChatRealtime implements RealtimeProduct<ChatSession> {
  readonly product = 'chat';

  constructor(
    realtime: Realtime,
    private readonly db: Db,
    private readonly credentials: Credentials,
    private readonly accessTokens: AccessTokens,
    private readonly clock: Clock,
    news: StreamNews,
  ) {
    realtime.register(this);
    news.onGrown((stream) => {
      if (realtime.sessionsOf('chat', stream.tenantId).size > 0) realtime.announce(grewEvent(stream));
    });
  }

  recognises(token: string): boolean {
    return isAppToken(token) || isJwt(token);
  }

  async authenticate({ token, auth }: Handshake): Promise<Admission<ChatSession>> {
    const teamId = auth['team_id'];
    try {
      const { identity } = await this.credentials.identify(token, { team_id: teamId });
      if (!HEARING.includes(identity.kind)) return { refused: 'invalid_auth' };
      return { session: new ChatSession(identity, isAppToken(token) ? sha256Hex(token) : null) };
    } catch (error) {
      if (!(error instanceof MessagingError)) throw error;
      const { code } = error;
      // a token that names no workspace at all may still be good for another product
      if (code === 'account_inactive' && !teamId && isJwt(token) && !(await this.namesTeam(token))) {
        return { nothingHere: code };
      }
      return { refused: code };
    }
  }

  async judge(sessions: readonly ChatSession[], events: readonly RecordedEvent[]): Promise<Hearing<ChatSession>> {
    const { conversationIds, userIds } = addressedBy(sessions, events);
    const [live, members, grown] = await Promise.all([
      liveSessions(this.db, sessions),
      memberships(this.db, conversationIds, userIds),
      this.grown(events.filter(({ kind }) => kind === STREAM_GREW)),
    ]);
    return new ChatHearing(live, members, events, grown);
  }

  /** What is said of streams that grew. It is read now: what ended them comes later in the order of events. */
  private async grown(events: readonly RecordedEvent[]): Promise<ReadonlyMap<RecordedEvent, object>> {
    if (events.length === 0) return new Map();
    const about = events.map((event) => ({ event, ...(JSON.parse(event.data) as Grown) }));
    type Row = Record<string, unknown> & { channel: string; ts: number; wire: string; begun: string | null };
    const rows = await this.db.read<Row>(OPEN_STREAM_MESSAGES, [
      about.map(({ channel }) => channel),
      about.map(({ micros }) => micros),
    ]);
    const found = new Map(rows.map((row) => [`${row.channel} ${row.ts}`, row]));
    const now = formatTs(this.clock.wallMicros());
    return new Map(
      about.flatMap(({ event, channel, channel_type: type, micros }) => {
        const row = found.get(`${channel} ${micros}`);
        return row ? [[event, JSON.parse(streamChange(channel, type, now, row)) as object] as const] : [];
      }),
    );
  }

  private async namesTeam(token: string): Promise<boolean> {
    return (await this.accessTokens.verify(token)).claims['team_id'] !== undefined;
  }
}

/** The data of a `stream_grew`. */
interface Grown {
  readonly channel: string;
  readonly channel_type: string;
  readonly micros: number;
}

const grewEvent = ({ tenantId, conversation: { id, type }, ts }: GrownStream): RecordedEvent => ({
  id: 0,
  tenantId,
  product: 'chat',
  kind: STREAM_GREW,
  room: conversationRoom(id),
  syncId: null,
  data: JSON.stringify({ channel: id, channel_type: channelType(type), micros: ts } satisfies Grown),
  recordedAt: new Date(),
});
