import { Inject, Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Db } from '../../kernel/database/db.js';
import { derivedUuid } from '../../kernel/ids/ids.js';
import { DeliveryEngine } from '../../webhooks/delivery-engine.js';
import type { Attempt, Rendered } from '../../webhooks/dialect.js';
import { svcSignature } from '../../webhooks/signing.js';
import { TARGETS } from './tracker-dialect.queries.js';
import { Webhook } from './webhook.entity.js';

/** `delivery_targets.product` of tracker webhooks. */
export const TRACKER_DIALECT = 'tracker';

const ATTEMPT_TIMEOUT_MS = 5_000;
/** Events in a row that used up all their attempts until a webhook is switched off. */
const EXHAUSTED_IN_A_ROW = 5;
const HOUR_MS = 3_600_000;

interface Target {
  readonly id: string;
  readonly url: string;
  readonly secret: string;
  /** The name of the application whose own webhook it is. */
  readonly app: string | null;
}

/** How tracker events look to webhooks: scope, envelope, headers and retries of docs/reference/tracker-webhooks.md. */
@Injectable()
export class TrackerDialect {
  constructor(
    engine: DeliveryEngine,
    private readonly db: Db,
    @Inject(SETTINGS_TOKEN) settings: Settings,
  ) {
    engine.register<Target>({
      product: TRACKER_DIALECT,
      timeoutMs: ATTEMPT_TIMEOUT_MS,
      retryDelaysSeconds: settings.webhookRetryDelays,
      maxRedirects: 0,
      disable: { kind: 'exhausted', inARow: EXHAUSTED_IN_A_ROW },
      // at least once (docs/reference/tracker-webhooks.md#delivery): only where a queue grows faster than its target
      // answers does this bound it
      maxAgeMs: settings.eventRetentionHours * HOUR_MS,
      // a rotated secret stops at once, on all replicas (docs/reference/tracker.md#webhook)
      targetsFreshMs: 0,
      success: (status) => status === 200,
      loadTargets: async (ids) => {
        const rows = await this.db.read<Target & { [column: string]: unknown }>(TARGETS, [[...ids]]);
        return new Map(rows.map((row) => [row.id, row]));
      },
      render,
      // what the server does by itself is no event, and no change of a mutation's: `updatedAt` stays
      // (docs/reference/tracker.md#entities, docs/reference/tracker-webhooks.md#envelope)
      onDisabled: async (tx, ids) => void (await tx.sql.update(Webhook, { id: In([...ids]) }, { enabled: false })),
    });
  }
}

/**
 * Each attempt is stamped and signed anew: receivers refuse what is older than a minute
 * (docs/reference/tracker-webhooks.md#delivery).
 */
function render({ identity, target, event, nowMs, ids }: Attempt<Target>): Rendered {
  const seen = (text: string): string => ids?.outside(text) ?? text;
  const body = seen(`${event.data.slice(0, -1)},"webhookTimestamp":${nowMs},"webhookId":"${target.id}"}`);
  // a creation records several events
  const { draw, syncId } = event;
  const deliveryId = draw && ids ? derivedUuid(`${draw}${syncId}:${seen(target.id)}`) : seen(identity ?? '');
  const signature = svcSignature(target.secret, body);
  const type = wordOf(event.data);
  return {
    url: target.url,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'Svc-Webhook',
      ...both('signature', signature),
      ...both('delivery', deliveryId),
      ...both('event', type),
      ...both('timestamp', String(nowMs)),
    },
    body,
  };
}

const both = (name: string, value: string): Record<string, string> => ({
  [`svc-${name}`]: value,
  [`linear-${name}`]: value,
});

/** The envelope's own `type`: it stands behind all that a user wrote, with only the organization's id after it. */
const wordOf = (data: string): string => /"type":"([A-Za-z]+)","organizationId":"[0-9a-f-]+"\}$/.exec(data)?.[1] ?? '';
