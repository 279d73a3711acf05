import { Injectable } from '@nestjs/common';
import { AccessTokens } from '../../auth/access-tokens.js';
import { Db } from '../../kernel/database/db.js';
import type { RecordedEvent } from '../../kernel/events/recorded-event.js';
import { sha256Hex } from '../../kernel/ids/ids.js';
import type { Admission, Handshake, Hearing, RealtimeProduct } from '../../kernel/realtime/realtime-product.js';
import { Realtime } from '../../kernel/realtime/realtime.js';
import { MessagingError } from '../wire/codes.js';
import { Credentials, isAppToken, isJwt } from '../rpc/credentials.js';
import { ChatHearing, placesOf } from './chat-hearing.js';
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
  ) {
    realtime.register(this);
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
    const { conversationIds, userIds } = placesOf(sessions, events);
    const [live, members] = await Promise.all([
      liveSessions(this.db, sessions),
      memberships(this.db, conversationIds, userIds),
    ]);
    return new ChatHearing(live, members, events);
  }

  private async namesTeam(token: string): Promise<boolean> {
    return (await this.accessTokens.verify(token)).claims['team_id'] !== undefined;
  }
}
