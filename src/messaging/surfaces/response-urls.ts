import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import type { SandboxFlags } from '../../kernel/sandbox/sandbox-flags.js';
import { newAlphanumeric, newNumber, sha256Hex } from '../../kernel/ids/ids.js';
import type { ConversationType } from '../store/conversation.entity.js';
import {
  INSERT_RESPONSE_URL,
  FIND_RESPONSE_URL,
  TAKE_RESPONSE_URL,
  SWEEP_RESPONSE_URLS,
  MAX_USES,
  SWEEP_BATCH,
} from './response-urls.queries.js';
import { responseUrl } from '../wire/chat-urls.js';

const VALID_MS = 30 * 60_000;

/** What an app may answer to later. */
export interface ResponseContext {
  readonly workspaceId: string;
  readonly appId: string;
  readonly userId: string;
  readonly conversationId: string;
  /** The message that was clicked on, microseconds; null for a command. */
  readonly messageTs: number | null;
}

/** Where an app may answer to, and in which form it is told. */
export interface NewResponse extends ResponseContext {
  readonly sandbox: Pick<SandboxFlags, 'urls'>;
}

export interface TakenResponse extends ResponseContext {
  readonly tenantId: number;
  readonly type: ConversationType;
  /** `sandboxes.flags` */
  readonly sandbox: string | null;
}

/**
 * URLs for answers to commands and clicks: 30 minutes, 5 uses, stored as a hash only
 * (docs/reference/control-plane.md#slash-commands).
 */
@Injectable()
export class ResponseUrls {
  /** By URL: immediate answers of apps that are being stored. */
  private readonly firstAnswers = new Map<string, Promise<unknown>>();

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
    upkeep: Upkeep,
  ) {
    // after a day, so that a late answer is told that it is late
    upkeep.register('forgetting old response URLs', 60_000, (stopped) => this.sweep(stopped));
  }

  /** Deletes expired ones, a limited number at a time. */
  async sweep(stopped = (): boolean => false): Promise<void> {
    const before = new Date(this.clock.wallMs() - 24 * 3_600_000);
    while (!stopped() && (await this.db.run(SWEEP_RESPONSE_URLS, [before])).length === SWEEP_BATCH);
  }

  async issue({ sandbox, ...context }: NewResponse): Promise<string> {
    const secret = newAlphanumeric(32);
    await this.db.run(INSERT_RESPONSE_URL, [
      sha256Hex(secret),
      context.workspaceId,
      context.appId,
      context.conversationId,
      context.userId,
      context.messageTs,
      new Date(this.clock.nowMs() + VALID_MS),
    ]);
    return responseUrl(this.publicUrl.base, sandbox, {
      workspaceId: context.workspaceId,
      isCommand: context.messageTs === null,
      number: newNumber(12),
      secret,
    });
  }

  /** Whether it is still valid; it may no longer be when it is used. */
  async state(secret: string): Promise<'good' | 'expired_url' | 'used_url'> {
    const [row] = await this.db.read<{ uses: number; fresh: boolean }>(FIND_RESPONSE_URL, [
      sha256Hex(secret),
      this.clock.wallOffsetMicros,
    ]);
    if (!row?.fresh) return 'expired_url';
    return row.uses < MAX_USES ? 'good' : 'used_url';
  }

  /**
   * An app that answers at once and then posts to the URL does both within a millisecond: `take` waits while the first
   * answer is `being` stored. Known in this process only; on another replica the order is that of arrival.
   */
  async storeFirst<T>(url: string, being: Promise<T>): Promise<T> {
    const secret = url.slice(url.lastIndexOf('/') + 1);
    this.firstAnswers.set(secret, being);
    try {
      return await being;
    } finally {
      this.firstAnswers.delete(secret);
    }
  }

  /** Uses it once; null when another call had the last use. */
  async take(secret: string): Promise<TakenResponse | null> {
    const [row] = await this.db.run<TakenResponse & { [column: string]: unknown }>(TAKE_RESPONSE_URL, [
      sha256Hex(secret),
      this.clock.wallOffsetMicros,
    ]);
    await this.firstAnswers.get(secret)?.catch(() => undefined); // reported to the caller that asked for it
    return row ?? null;
  }
}
