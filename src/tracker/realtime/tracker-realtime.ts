import { Injectable } from '@nestjs/common';
import { AccessTokens } from '../../auth/access-tokens.js';
import { Db } from '../../kernel/database/db.js';
import type { RecordedEvent } from '../../kernel/events/recorded-event.js';
import { sha256Hex } from '../../kernel/ids/ids.js';
import type { Admission, Handshake, Hearing, RealtimeProduct } from '../../kernel/realtime/realtime-product.js';
import { Realtime } from '../../kernel/realtime/realtime.js';
import { Callers, looksLikeApiKey, type Identification } from '../access/callers.js';
import { liveSessions } from './realtime.queries.js';
import { TrackerHearing, audienceOf } from './tracker-hearing.js';
import type { TrackerCredential, TrackerSession } from './tracker-session.js';

const JWT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/** What the tracker brings to the realtime channel (docs/reference/realtime.md#tracker). */
@Injectable()
export class TrackerRealtime implements RealtimeProduct<TrackerSession> {
  readonly product = 'tracker';

  constructor(
    realtime: Realtime,
    private readonly db: Db,
    private readonly callers: Callers,
    private readonly accessTokens: AccessTokens,
  ) {
    realtime.register(this);
  }

  recognises(token: string): boolean {
    return looksLikeApiKey(token) || JWT.test(token);
  }

  async authenticate({ token }: Handshake): Promise<Admission<TrackerSession>> {
    if (looksLikeApiKey(token)) {
      return admission(await this.callers.byApiKey(token), () => ({ keyHash: sha256Hex(token), sid: null }));
    }
    const found = await this.callers.byAccessToken(token);
    if ('refused' in found) return admission(found);
    const { sid } = await this.accessTokens.verify(token);
    return admission(found, () => ({ keyHash: null, sid }));
  }

  async judge(sessions: readonly TrackerSession[], events: readonly RecordedEvent[]): Promise<Hearing<TrackerSession>> {
    const teamIds = new Set(events.flatMap((event) => audienceOf(event.room)?.teamIds ?? []));
    return new TrackerHearing(await liveSessions(this.db, sessions, [...teamIds]));
  }
}

function admission(found: Identification, credential?: () => TrackerCredential): Admission<TrackerSession> {
  if ('refused' in found) {
    // connects all the same where the chat product lets it in
    return found.refused === 'organization_required' ? { nothingHere: 'invalid_auth' } : { refused: found.refused };
  }
  const { tenantId, organizationId, userId, sandbox } = found.viewer;
  return {
    session: {
      tenantId,
      ids: sandbox?.ids ?? null,
      organizationId,
      userId,
      credential: (credential as () => TrackerCredential)(),
    },
  };
}
