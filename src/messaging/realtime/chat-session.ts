import type { IdSpace } from '../../kernel/ids/id-space.js';
import type { RealtimeSession } from '../../kernel/realtime/realtime-product.js';
import type { Identity } from '../access/identity.js';

/** A credential of the chat product on a socket. */
export class ChatSession implements RealtimeSession {
  /** Public channels that the client entered without being a member. */
  readonly subscribed = new Set<string>();
  /** Conversations whose room the client left, until it enters again or the user joins again. */
  readonly left = new Set<string>();

  constructor(
    readonly identity: Identity,
    /** SHA-256 (hex) of an app token; null for a JWT. */
    readonly tokenHash: string | null,
  ) {}

  get ids(): IdSpace | null {
    return this.identity.sandbox.ids;
  }
  get tenantId(): number {
    return this.identity.tenantId;
  }
  get workspaceId(): string {
    return this.identity.workspaceId;
  }
  get userId(): string {
    return this.identity.userId;
  }
  /** The session of a JWT. */
  get sid(): string | null {
    return this.identity.sid ?? null;
  }
}
