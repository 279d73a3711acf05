import { Injectable } from '@nestjs/common';
import { InstanceSecrets } from '../../kernel/database/instance-secrets.js';
import type { IdSpace } from '../../kernel/ids/id-space.js';
import { derivedId } from '../../kernel/ids/ids.js';
import { ActionTokens } from './action-tokens.js';
import { hearingRuleOf } from './define-chat-event.js';
import { EventContexts } from './event-contexts.js';
import { FunctionTokens } from './function-tokens.js';

/** The data needed for sending; a target without an app gets its events too. */
export interface SendingTarget {
  readonly id: string;
  readonly url: string;
  readonly secret: string;
  readonly workspaceId: string;
  readonly apiAppId: string | null;
  readonly verificationToken: string | null;
  /** The target is of an app that is an agent or an assistant. */
  readonly isAgent: boolean;
}

/** A delivery, as its envelope needs it. */
export interface WrappedDelivery {
  readonly deliveryId: number;
  readonly identity: string | null;
  readonly target: SendingTarget;
  readonly event: {
    readonly id: number;
    readonly kind: string;
    readonly data: string;
    readonly recordedAt: Date;
    readonly draw?: string | null;
  };
  /** The ids that its receiver knows. */
  readonly ids: IdSpace | null;
}

/** `<user id>`, then `b` for a bot user and `e` for one that sees e-mail addresses (events/delivery-plan.ts). */
const IDENTITY = /^(U[0-9A-Z]+)(b?)(e?)$/;

const BASE36 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const EVENT_IDS = 36n ** 9n;
/** Odd and not divisible by 3: multiplying by it permutes the ids. */
const MULTIPLIER = 61_803_398_874_989n;

/** The outer envelope of events, over HTTP and sockets alike (docs/reference/events.md#envelope). */
@Injectable()
export class EventEnvelopes {
  /** Distinguishes this installation's event ids from those of others. */
  private readonly offset: bigint;

  constructor(
    secrets: InstanceSecrets,
    private readonly tokens: ActionTokens,
    private readonly functionTokens: FunctionTokens,
    private readonly contexts: EventContexts,
  ) {
    this.offset = secrets.key('event ids').readBigUInt64BE() % EVENT_IDS;
  }

  /** The event's own JSON text goes through unparsed. */
  envelope({ deliveryId, identity, target, event, ids }: WrappedDelivery): string {
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
      event_id: this.eventId({ deliveryId, target, event, ids }),
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
      event_context: this.contexts.of({
        kind: event.kind,
        workspaceId: target.workspaceId,
        appId: target.apiAppId,
        eventId: event.id,
        userId: userId ?? null,
      }),
    };
    const redact = hearingRuleOf(event.kind)?.redact;
    const viewer = { userId: userId ?? null, seesEmails: email === 'e' };
    const seen = redact ? JSON.stringify(redact(JSON.parse(event.data) as object, viewer)) : event.data;
    const inner =
      event.kind === 'function_executed'
        ? this.withBotToken(seen)
        : target.isAgent && asksAgent(event, bot === 'b')
          ? this.withToken(seen, event, target)
          : seen;
    return `${JSON.stringify(head).slice(0, -1)},"event":${inner},${JSON.stringify(tail).slice(1)}`;
  }

  /** What a person says to an agent lets it search. */
  private withToken(inner: string, event: WrappedDelivery['event'], { workspaceId, apiAppId }: SendingTarget): string {
    const token = this.tokens.of(event, workspaceId, apiAppId ?? '');
    return `${inner.slice(0, -1)},"assistant_thread":{"action_token":"${token}"}}`;
  }

  /** A step's app acts with the step's own token. */
  private withBotToken(inner: string): string {
    const { function_execution_id: id } = JSON.parse(inner) as { function_execution_id: string };
    return `${inner.slice(0, -1)},"bot_access_token":"${this.functionTokens.of(id)}"}`;
  }

  /** Unique per event and target, the same at every attempt, and not to be guessed from another. */
  eventId({
    deliveryId,
    target,
    event,
    ids,
  }: Pick<WrappedDelivery, 'deliveryId' | 'target' | 'event' | 'ids'>): string {
    const { draw } = event;
    // as it is stored: the whole envelope is translated
    if (draw && ids) return ids.inside(derivedId('Ev', draw + ids.outside(target.id)));
    let number = (BigInt(deliveryId) * MULTIPLIER + this.offset) % EVENT_IDS;
    let text = '';
    for (let i = 0; i < 9; i++) {
      text = BASE36.charAt(Number(number % 36n)) + text;
      number /= 36n;
    }
    return `Ev0${text}`;
  }
}

/** A person's message in the direct message with the app's bot, or a mention of it. */
function asksAgent({ kind, data }: WrappedDelivery['event'], isBot: boolean): boolean {
  if (kind !== 'app_mention' && !(kind === 'message' && isBot && data.includes('"channel_type":"im"'))) return false;
  const { channel_type: type, subtype, bot_id: botId } = JSON.parse(data) as Record<string, unknown>;
  const isPersons = botId === undefined && (subtype === undefined || subtype === 'file_share');
  return isPersons && (kind === 'app_mention' || type === 'im');
}
