import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InstanceSecrets } from '../../kernel/database/instance-secrets.js';
import { isSameSecret } from '../../kernel/ids/same-secret.js';

/** What an app is told of an event besides the event itself. */
export interface EventContext {
  readonly kind: string;
  readonly workspaceId: string;
  readonly appId: string | null;
  /** Its position in the log. */
  readonly eventId: number;
  /** Who made it visible to the app. */
  readonly userId: string | null;
}

const FORM = /^4-[\w-]{30,1000}$/;
const MAC_BYTES = 16;

/** `event_context` of envelopes: opaque to apps, and nobody else can make one (docs/reference/events.md#envelope). */
@Injectable()
export class EventContexts {
  private readonly key: Buffer;

  constructor(secrets: InstanceSecrets) {
    this.key = secrets.key('event contexts');
  }

  /** The same at every attempt. */
  of({ kind, workspaceId, appId, eventId, userId }: EventContext): string {
    const text = Buffer.from(JSON.stringify([kind, workspaceId, appId, eventId, userId]));
    return `4-${Buffer.concat([this.mac(text), text]).toString('base64url')}`;
  }

  /** Undefined: it is none of ours. */
  read(context: string): EventContext | undefined {
    if (!FORM.test(context)) return undefined;
    const bytes = Buffer.from(context.slice(2), 'base64url');
    const [mac, text] = [bytes.subarray(0, MAC_BYTES), bytes.subarray(MAC_BYTES)];
    if (!isSameSecret(mac.toString('hex'), this.mac(text).toString('hex'))) return undefined;
    const [kind, workspaceId, appId, eventId, userId] = JSON.parse(text.toString()) as [
      string,
      string,
      string | null,
      number,
      string | null,
    ];
    return { kind, workspaceId, appId, eventId, userId };
  }

  private mac(text: Buffer): Buffer {
    return createHmac('sha256', this.key).update(text).digest().subarray(0, MAC_BYTES);
  }
}
