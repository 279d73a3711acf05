import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Db } from '../../kernel/database/db.js';
import { InstanceSecrets } from '../../kernel/database/instance-secrets.js';
import { DeliveryEngine } from '../../webhooks/delivery-engine.js';
import type { Attempt, Dialect, Rendered } from '../../webhooks/dialect.js';
import { EVENTS_DIALECT, OUTGOING_DIALECT } from '../model/event-targets.js';
import { APP_TIMEOUT_MS, signedHeaders } from '../rest/app-requests.js';
import { TARGETS_TO_SEND, type SendingTarget } from './webhooks.queries.js';

/** `<user id>`, then `b` for a bot user and `e` for one that sees e-mail addresses (model/delivery-plan.ts). */
const IDENTITY = /^(U[0-9A-Z]+)(b?)(e?)$/;

/** News of longer ago is history, which an app reads; it is not sent in a burst when a queue or the server comes back. */
const MAX_AGE_MS = 3_600_000;

const BASE36 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const EVENT_IDS = 36n ** 9n;
/** Odd and not divisible by 3: multiplying by it permutes the ids. */
const SCATTER = 61_803_398_874_989n;

/** How chat events look to apps: envelope, headers and retries of messaging.md D.1, D.6, D.7. */
@Injectable()
export class ChatDialect {
  /** Sets this installation's event ids apart from those of others. */
  private readonly offset: bigint;

  constructor(
    engine: DeliveryEngine,
    secrets: InstanceSecrets,
    private readonly db: Db,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {
    this.offset = secrets.key('event ids').readBigUInt64BE() % EVENT_IDS;
    engine.register(this.dialect(EVENTS_DIALECT));
    engine.register(this.dialect(OUTGOING_DIALECT));
  }

  private dialect(product: string): Dialect<SendingTarget> {
    return {
      product,
      timeoutMs: APP_TIMEOUT_MS,
      retryDelaysSeconds: this.settings.eventRetryDelays,
      maxRedirects: 2,
      noRetryHeader: 'x-slack-no-retry',
      disable: { kind: 'share', attempts: 1000, failed: 0.95 },
      maxAgeMs: MAX_AGE_MS,
      // URL and secret of a chat target never change
      targetsFreshMs: 1_000,
      success: (status) => status >= 200 && status <= 299,
      loadTargets: async (ids) => {
        const rows = await this.db.read<SendingTarget & { [column: string]: unknown }>(TARGETS_TO_SEND, [[...ids]]);
        return new Map(rows.map((row) => [row.id, row]));
      },
      render: (attempt) => this.render(attempt),
    };
  }

  private render(attempt: Attempt<SendingTarget>): Rendered {
    const { target, retry, reason } = attempt;
    const body = this.envelope(attempt);
    return {
      url: target.url,
      headers: {
        ...signedHeaders('application/json', target.secret, body, Math.floor(attempt.nowMs / 1000)),
        ...(retry > 0 && { 'x-slack-retry-num': String(retry), 'x-slack-retry-reason': reason ?? 'unknown_error' }),
      },
      body,
    };
  }

  /** The event's own JSON text goes through unparsed. */
  private envelope({ deliveryId, identity, target, event }: Attempt<SendingTarget>): string {
    const [, userId, bot, email] = IDENTITY.exec(identity ?? '') ?? [];
    const head = {
      token: target.verificationToken ?? '',
      team_id: target.workspaceId,
      context_team_id: target.workspaceId,
      context_enterprise_id: null,
      api_app_id: target.apiAppId ?? '',
    };
    const tail = {
      type: 'event_callback',
      event_id: this.eventId(deliveryId),
      event_time: Math.floor(event.recordedAt.getTime() / 1000),
      authorizations: [
        {
          enterprise_id: null,
          team_id: target.workspaceId,
          user_id: userId ?? '',
          is_bot: bot === 'b',
          is_enterprise_install: false,
        },
      ],
      is_ext_shared_channel: false,
      event_context: contextOf(event.kind, target),
    };
    const inner = event.kind === 'user_change' && email !== 'e' ? withoutEmail(event.data) : event.data;
    return `${JSON.stringify(head).slice(0, -1)},"event":${inner},${JSON.stringify(tail).slice(1)}`;
  }

  /** Unique per event and target, the same at every attempt, and not to be guessed from another. */
  private eventId(deliveryId: number): string {
    let number = (BigInt(deliveryId) * SCATTER + this.offset) % EVENT_IDS;
    let text = '';
    for (let i = 0; i < 9; i++) {
      text = BASE36.charAt(Number(number % 36n)) + text;
      number /= 36n;
    }
    return `Ev0${text}`;
  }
}

const contextOf = (kind: string, { workspaceId, apiAppId }: SendingTarget): string =>
  `4-${Buffer.from(JSON.stringify({ et: kind, tid: workspaceId, aid: apiAppId ?? undefined })).toString('base64url')}`;

/** For an identity without `users:read.email` (D.4). */
function withoutEmail(data: string): string {
  const event = JSON.parse(data) as { user?: { profile?: { email?: string } } };
  delete event.user?.profile?.email;
  return JSON.stringify(event);
}
