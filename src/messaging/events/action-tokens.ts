import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { InstanceSecrets } from '../../kernel/database/instance-secrets.js';
import { EVENT_OF_TOKEN } from './action-tokens.queries.js';

/** How long a token is good, in milliseconds by the sandbox's clock. */
const LIFE_MS = 3_600_000;
const FORM = /^(\d{13})\.(\d{12})\.([0-9a-f]{24})$/;

/**
 * Tokens with which a bot may search because a person spoke to it (docs/reference/chat.md#search-for-agents). Nothing is
 * stored for them: a token names the event that it came with and is signed for the app that got it. It ends with its
 * event, and with a reset.
 */
@Injectable()
export class ActionTokens {
  private readonly key: Buffer;

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    secrets: InstanceSecrets,
  ) {
    this.key = secrets.key('action tokens');
  }

  /** The token of an event for an app: the same at every attempt. */
  of(event: { readonly id: number; readonly recordedAt: Date }, workspaceId: string, appId: string): string {
    const at = String(event.recordedAt.getTime()).padStart(13, '0');
    const id = String(event.id).padStart(12, '0');
    return `${at}.${id}.${this.sign(id, workspaceId, appId)}`;
  }

  /** Whether the token was given to this app, and when it was, by the clock of the caller, is not an hour ago. */
  async isGood(token: string, workspaceId: string, appId: string): Promise<boolean> {
    const [, , id, signature] = FORM.exec(token) ?? [];
    if (id === undefined || signature === undefined) return false;
    if (!timingSafeEqual(Buffer.from(signature), Buffer.from(this.sign(id, workspaceId, appId)))) return false;
    const [event] = await this.db.read<{ at: Date }>(EVENT_OF_TOKEN, [Number(id), workspaceId]);
    return event !== undefined && event.at.getTime() + LIFE_MS > this.clock.nowMs();
  }

  private sign(id: string, workspaceId: string, appId: string): string {
    return createHmac('sha256', this.key).update(`${id}:${workspaceId}:${appId}`).digest('hex').slice(0, 24);
  }
}
